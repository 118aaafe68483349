/* What a launch asks: the adapter's reading of argv and configuration, and haccess's own variables. */
#ifndef HACCESS_REQUEST_H
#define HACCESS_REQUEST_H

#include "../adapters/adapter.h"

/* Reads the files that the adapter names for this launch into i->files. What cannot be read is told to the adapter by
 * its errno; nothing fails here. */
void request_files(struct mem *m, const struct adapter *a, struct invocation *i);

/* Fills *out from the invocation (its files read) and from HACCESS_ACCESS and HACCESS_LANE. Access is not yet resolved. */
void request_read(struct mem *m, const struct adapter *a, const struct invocation *i, struct request *out);

/* Makes it a reader's, whatever lane it names: it runs below a reader. */
void request_reader(struct mem *m, struct request *r);

#endif
