/* Keeping a user's own spools in /tmp out of a test. */
#ifndef TESTS_SPOOL_H
#define TESTS_SPOOL_H

/* haccess looks for spools in /tmp whatever TMPDIR says. Where this user has one there, the process goes on in a user namespace
 * as a uid that has none. Where that is not possible it says so on stderr. */
void spool_hide(void);

#endif
