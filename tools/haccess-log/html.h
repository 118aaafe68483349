/* The journal as one page for a browser. */
#ifndef HACCESS_HTML_H
#define HACCESS_HTML_H

#include "view.h"

/* Prints the page: the launches that the filter asks for, each unfolding to what haccess-log why prints, the trees, a
 * summary. It loads nothing from anywhere, and runs no script but its own. */
void html_export(struct log *l);

#endif
