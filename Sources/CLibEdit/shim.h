// libedit with one inline function per use of its variadic calls, which Swift cannot call.
#include <histedit.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

// Needs the types of the others.
#include <bits/types/cookie_io_functions_t.h>

// Declared by <stdio.h> only for GNU programs.
FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);

// Drops what is written; a bell sets the integer that is the cookie.
static inline ssize_t editline_discard(void *bell, const char *bytes, size_t count) {
  if (memchr(bytes, '\a', count)) *(int *)bell = 1;
  return (ssize_t)count;
}

// A stream for everything that libedit draws and says; `bell` must live longer.
static inline FILE *editline_open_sink(int *bell) {
  cookie_io_functions_t functions = {.write = editline_discard};
  return fopencookie(bell, "w", functions);
}

// An editor on the program's own terminal that draws into a sink.
static inline EditLine *editline_open(const char *program_name, FILE *sink) {
  return el_init_fd(program_name, stdin, sink, sink, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
}

static inline int editline_set_client_data(EditLine *editor, void *data) {
  return el_wset(editor, EL_CLIENTDATA, data);
}

static inline void *editline_client_data(EditLine *editor) {
  void *data = NULL;
  return el_wget(editor, EL_CLIENTDATA, &data) == 0 ? data : NULL;
}

static inline int editline_set_reader(EditLine *editor, int (*reader)(EditLine *, wchar_t *)) {
  return el_wset(editor, EL_GETCFN, reader);
}

static inline wchar_t *editline_empty_prompt(EditLine *editor) {
  static wchar_t prompt[1];
  (void)editor;
  return prompt;
}

static inline int editline_remove_prompt(EditLine *editor) {
  return el_wset(editor, EL_PROMPT, editline_empty_prompt);
}

static inline int editline_leave_signals_alone(EditLine *editor) {
  return el_wset(editor, EL_SIGNAL, 0);
}

static inline int editline_set_history(EditLine *editor, HistoryW *history) {
  return el_wset(editor, EL_HIST, history_w, history);
}

static inline int editline_set_keys(EditLine *editor, const wchar_t *name) {
  return el_wset(editor, EL_EDITOR, name);
}

// Whether the keys are those of vi.
static inline int editline_has_vi_keys(EditLine *editor) {
  const wchar_t *name = NULL;
  return el_wget(editor, EL_EDITOR, &name) == 0 && name && wcscmp(name, L"vi") == 0;
}

// libedit keeps both texts.
static inline int editline_add_function(
    EditLine *editor, const wchar_t *name, const wchar_t *help,
    unsigned char (*function)(EditLine *, wint_t)) {
  return el_wset(editor, EL_ADDFN, name, help, function);
}

static inline int editline_bind(EditLine *editor, const wchar_t *key, const wchar_t *function) {
  return el_wset(editor, EL_BIND, key, function, NULL);
}

// Binds a key in the command mode of vi.
static inline int editline_bind_in_command_mode(
    EditLine *editor, const wchar_t *key, const wchar_t *function) {
  return el_wset(editor, EL_BIND, L"-a", key, function, NULL);
}

// Lets Enter arrive as a carriage return, so that pasted ends of lines can be told apart.
static inline int editline_keep_returns(EditLine *editor) {
  return el_wset(editor, EL_SETTY, L"-d", L"-icrnl", L"-inlcr", NULL);
}

static inline int editline_is_editing(EditLine *editor) {
  int is_editing = 0;
  return el_wget(editor, EL_EDITMODE, &is_editing) == 0 && is_editing;
}

static inline int editline_set_raw_mode(EditLine *editor, int is_raw) {
  return el_wset(editor, EL_PREP_TERM, is_raw);
}

// Makes libedit believe that nothing is drawn, at no cost: it redraws an empty line. What it believes
// must fit the line, else it writes outside of its copy of the screen.
static inline void editline_forget_drawing(EditLine *editor) {
  LineInfoW *line = (LineInfoW *)el_wline(editor);
  LineInfoW saved = *line;
  line->cursor = line->lastchar = line->buffer;
  el_wset(editor, EL_REFRESH);
  *line = saved;
}

static inline int editline_history_set_limit(HistoryW *history, int limit) {
  HistEventW event;
  return history_w(history, &event, H_SETSIZE, limit);
}

static inline int editline_history_clear(HistoryW *history) {
  HistEventW event;
  return history_w(history, &event, H_CLEAR);
}

static inline int editline_history_add(HistoryW *history, const wchar_t *line) {
  HistEventW event;
  return history_w(history, &event, H_ENTER, line);
}
