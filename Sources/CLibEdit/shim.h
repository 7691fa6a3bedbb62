// libedit with one inline function per use of its variadic calls, which Swift cannot call.
#include <histedit.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

// Declared by <wchar.h> only for X/Open programs.
int wcwidth(wchar_t character);

// An editor on the program's own terminal; what libedit has to say goes to `messages`.
static inline EditLine *editline_open(const char *program_name, FILE *messages) {
  return el_init_fd(
      program_name, stdin, stdout, messages, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
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

// `mark` stands before and after every terminal sequence in the prompt.
static inline int editline_set_prompt(
    EditLine *editor, wchar_t *(*prompt)(EditLine *), wchar_t mark) {
  return el_wset(editor, EL_PROMPT_ESC, prompt, mark);
}

static inline int editline_set_history(EditLine *editor, HistoryW *history) {
  return el_wset(editor, EL_HIST, history_w, history);
}

static inline int editline_set_keys(EditLine *editor, const wchar_t *name) {
  return el_wset(editor, EL_EDITOR, name);
}

static inline int editline_bind(EditLine *editor, const wchar_t *key, const wchar_t *function) {
  return el_wset(editor, EL_BIND, key, function, NULL);
}

static inline int editline_is_editing(EditLine *editor) {
  int is_editing = 0;
  return el_wget(editor, EL_EDITMODE, &is_editing) == 0 && is_editing;
}

static inline int editline_set_raw_mode(EditLine *editor, int is_raw) {
  return el_wset(editor, EL_PREP_TERM, is_raw);
}

static inline int editline_redraw(EditLine *editor) {
  return el_wset(editor, EL_REFRESH);
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
