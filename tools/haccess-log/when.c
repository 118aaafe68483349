#include "when.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct tm
broken_down(int64_t ts, bool utc)
{
    time_t t = (time_t)(ts / 1000);
    struct tm tm = {0};

    if (utc)
        gmtime_r(&t, &tm);
    else
        localtime_r(&t, &tm);
    return tm;
}

static int64_t
joined(struct tm *tm, bool utc)
{
    time_t t;

    tm->tm_isdst = -1;
    t = utc ? timegm(tm) : mktime(tm);
    return (int64_t)t * 1000;
}

/* The beginning of the day that is so many days before now. */
static int64_t
day(int64_t now, int before, bool utc)
{
    struct tm tm = broken_down(now, utc);

    tm.tm_mday -= before;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    return joined(&tm, utc);
}

int64_t
when_length(const char *text)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}, {'w', 604800000}};
    char *end;
    long long n;

    errno = 0;
    n = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || errno != 0 || n > 1000000 || *end == '\0' || end[1] != '\0')
        return -1;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (*end == units[i].unit)
            return n * units[i].ms;
    return -1;
}

/* Reads "Z", "+01:00" or nothing. Returns false when it is none of them. */
static bool
parse_zone(const char *text, bool *named, int *minutes)
{
    int h, m;

    *named = *text != '\0';
    *minutes = 0;
    if (*text == '\0' || strcmp(text, "Z") == 0)
        return true;
    if ((*text != '+' && *text != '-') || strlen(text) != 6 || text[3] != ':' ||
        strspn(text + 1, "0123456789") != 2 || strspn(text + 4, "0123456789") != 2)
        return false;
    h = atoi(text + 1);
    m = atoi(text + 4);
    if (h > 23 || m > 59)
        return false;
    *minutes = (h * 60 + m) * (*text == '-' ? -1 : 1);
    return true;
}

static int64_t
parse_iso(const char *text, bool utc)
{
    static const char *const formats[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M",
                                          "%Y-%m-%d %H:%M", "%Y-%m-%d"};

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct tm tm = {0};
        const char *end = strptime(text, formats[i], &tm);
        int64_t ms = 0, ts;
        int minutes, scale = 100;
        bool named;

        if (end == NULL)
            continue;
        if (*end == '.' && i < 2)
            for (end++; *end >= '0' && *end <= '9'; end++, scale /= 10)
                ms += (*end - '0') * scale;
        if (!parse_zone(end, &named, &minutes))
            continue;
        ts = joined(&tm, utc || named) + ms - (int64_t)minutes * 60000;
        return ts < 0 ? -1 : ts;
    }
    return -1;
}

int64_t
when_parse(const char *text, int64_t now, bool utc)
{
    int64_t ago = when_length(text);

    if (ago != -1)
        return ago > now ? 0 : now - ago;
    if (strcmp(text, "now") == 0)
        return now;
    if (strcmp(text, "today") == 0)
        return day(now, 0, utc);
    if (strcmp(text, "yesterday") == 0)
        return day(now, 1, utc);
    return parse_iso(text, utc);
}

static const char *
formatted(struct mem *m, int64_t ts, bool utc, const char *format)
{
    struct tm tm = broken_down(ts, utc);
    char text[64];

    if (ts < 0 || strftime(text, sizeof(text), format, &tm) == 0)
        return "?";
    return mem_strdup(m, text);
}

const char *
when_time(struct mem *m, int64_t ts, bool utc)
{
    return formatted(m, ts, utc, "%H:%M:%S");
}

const char *
when_day(struct mem *m, int64_t ts, bool utc)
{
    return formatted(m, ts, utc, "%Y-%m-%d");
}

const char *
when_near(struct mem *m, int64_t ts, int64_t now, bool utc)
{
    if (ts >= day(now, 0, utc) && ts < day(now, -1, utc))
        return formatted(m, ts, utc, "today %H:%M:%S");
    if (ts >= day(now, 1, utc) && ts < day(now, 0, utc))
        return formatted(m, ts, utc, "yesterday %H:%M");
    return formatted(m, ts, utc, "%Y-%m-%d %H:%M");
}
