/* The decision. Pure: no I/O, no clock, no environment. */
#ifndef HACCESS_DECISION_H
#define HACCESS_DECISION_H

#include "../adapters/adapter.h"
#include "evidence.h"
#include "policy.h"

enum reason {
    REASON_CONFIG_INVALID,
    REASON_DISABLED,
    REASON_POLICY_NOT_ALLOWED,
    REASON_ADAPTER_UNREPRESENTABLE,
    REASON_POLICY_READ_ONLY,
    REASON_NOT_ASKED,
    REASON_GRAMMAR_UNKNOWN,
    REASON_MODEL_NOT_LISTED,
    REASON_MODEL_UNSET,
    REASON_EFFORT_UNSET,
    REASON_EFFORT_BELOW_FLOOR,
    REASON_VENDOR_WOULD_REFUSE,
    REASON_PARENT_SANDBOXED,
    REASON_PARENT_UNKNOWN,
    REASON_QUALIFIED,
    REASON_ARGV_UNBOUNDING, /* class server: section 4 is not run */
};

enum check_result { CHECK_NOT_RUN, CHECK_PASSED, CHECK_FAILED };

/* One check of section 4, for people: what was looked at, and what was seen. */
struct check {
    const char *name;
    enum check_result result;
    const char *saw; /* NULL: nothing to tell */
};

#define CHECKS 11

struct decision {
    bool full;         /* access mode full-access */
    bool needs_parent; /* checks 1-13 pass and no parent was given: nothing else is set */
    enum reason reason;
    const char *detail; /* in plain words, never NULL */
    const char *remedy; /* the edit that would grant it; NULL: none */
    struct check checks[CHECKS];
};

/* An earlier decision on the same process, which this one may not exceed. */
struct first_decision {
    const char *id;
    const char *parent_launch; /* the launch that one runs under; NULL: none */
    bool full;
    enum projection projection;
};

/* Resolves access from the sources. Sets r->access; returns REFUSAL_NONE, or the refusal for a contradiction with *detail
 * naming both spellings. */
enum refusal request_resolve(struct mem *m, struct request *r, const char **detail);

/* The refusals that come before section 4, in their order. Resolves the request on the way. Returns REFUSAL_NONE when there is none. */
enum refusal decide_refusal(struct mem *m, const struct adapter *a, enum launch_class c,
                            const struct policy *p, struct request *r, const char **detail);

/* Section 4. parent NULL: stop before the probe and say that it is needed. first NULL: this is the first decision. */
void decide_access(struct mem *m, const struct adapter *a, const struct request *r, const struct policy *p,
                   const struct parent *parent, const struct first_decision *first, struct decision *out);

/* Section 5: what the launch becomes. */
enum projection decide_projection(const struct adapter *a, const struct request *r, const struct policy *p,
                                  bool full, const struct first_decision *first);

/* The refusals that come after section 4 and need no rendering. */
enum refusal decide_refusal_after(struct mem *m, const struct adapter *a, const struct request *r,
                                  const struct policy *p, bool full, const char **detail);

const char *reason_word(enum reason r);

#endif
