// The only C++ here: toml++ behind toml.h. No exception leaves it.
// Some of toml++'s assertions depend on the input ("[" before a control character): by default they abort, and with
// NDEBUG they become assumptions of the compiler. Here they are parse errors.
#undef NDEBUG
#define TOML_ASSERT(condition)                                                                               \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            throw assertion{};                                                                               \
    } while (0)
#define TOML_EXCEPTIONS                 0
#define TOML_ENABLE_UNRELEASED_FEATURES 1
#define TOML_ENABLE_FORMATTERS          0
// With max_key_parts this bounds how deep a document nests, and so the stack that reading and freeing it takes.
#define TOML_MAX_NESTED_VALUES 64
namespace {
struct assertion {};
} // namespace

// Where the assertion is in a function that may not throw, the program ends as it would have.
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wexceptions"
#else
#pragma GCC diagnostic ignored "-Wterminate"
#endif
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include <err.h>

#include <cstring>
#include <new>
#include <string>
#include <string_view>

extern "C" {
#include "../mem.h"
#include "toml.h"
}

namespace {

constexpr size_t max_key_parts = 128;

char *
copy(struct mem *m, std::string_view s)
{
    if (s.find('\0') == std::string_view::npos)
        return mem_strndup(m, s.data(), s.size());
    std::string whole;
    for (char c : s) {
        if (c == '\0')
            whole += "\xef\xbf\xbd";
        else
            whole += c;
    }
    return mem_strndup(m, whole.data(), whole.size());
}

template <typename T>
T *
allocate(struct mem *m, size_t count)
{
    return static_cast<T *>(mem_array(m, count, sizeof(T)));
}

struct toml_value *
convert(struct mem *m, const toml::node &node)
{
    struct toml_value *t = allocate<struct toml_value>(m, 1);

    t->type = TOML_OTHER;
    if (const toml::table *table = node.as_table()) {
        t->type = TOML_TABLE;
        t->pairs = allocate<struct toml_pair>(m, table->size() + 1);
        for (auto &&[key, value] : *table) {
            struct toml_pair *p = &t->pairs[t->count++];

            p->key = copy(m, key.str());
            p->value = convert(m, value);
        }
    } else if (const toml::array *array = node.as_array()) {
        t->type = TOML_ARRAY;
        t->items = allocate<struct toml_value *>(m, array->size() + 1);
        for (const toml::node &item : *array)
            t->items[t->count++] = convert(m, item);
    } else if (const auto *string = node.as_string()) {
        t->type = TOML_STRING;
        t->string = copy(m, string->get());
    } else if (const auto *boolean = node.as_boolean()) {
        t->type = TOML_BOOLEAN;
        t->boolean = boolean->get();
    }
    return t;
}

bool
is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || (c & 0x80) != 0;
}

// Skips one part of a key and the blanks around it. Returns the position behind, or pos where there is no part.
size_t
skip_part(std::string_view s, size_t pos)
{
    size_t at = pos;

    while (at < s.size() && (s[at] == ' ' || s[at] == '\t'))
        at++;
    size_t begun = at;
    if (at < s.size() && (s[at] == '"' || s[at] == '\'')) {
        char quote = s[at++];

        for (; at < s.size() && s[at] != quote && s[at] != '\n'; at++)
            if (quote == '"' && s[at] == '\\')
                at++;
        at++;
    } else {
        while (at < s.size() && is_bare(s[at]))
            at++;
    }
    if (at == begun)
        return pos;
    while (at < s.size() && (s[at] == ' ' || s[at] == '\t'))
        at++;
    return at < s.size() ? at : s.size();
}

// Whether something in s may be a dotted key of more than max_key_parts parts. toml++ has no bound for these, and
// frees what they nest by recursion. Prose in strings does not look like one.
bool
has_deep_key(std::string_view s)
{
    size_t parts = 0;

    for (size_t at = 0; at < s.size();) {
        size_t next = skip_part(s, at);

        if (next == at) {
            parts = 0;
            at++;
        } else if (next < s.size() && s[next] == '.') {
            if (++parts > max_key_parts)
                return true;
            at = next + 1;
        } else {
            parts = 0;
            at = next;
        }
    }
    return false;
}

struct toml_value *
read_text(struct mem *m, std::string_view text, struct toml_error *error)
{
    if (has_deep_key(text)) {
        *error = {1, 1, "a key has too many parts"};
        return nullptr;
    }
    toml::parse_result result = toml::parse(text);
    if (!result) {
        const toml::parse_error &e = result.error();

        error->line = e.source().begin.line;
        error->column = e.source().begin.column;
        error->message = copy(m, e.description());
        return nullptr;
    }
    return convert(m, result.table());
}

} // namespace

extern "C" struct toml_value *
toml_read(struct mem *m, const char *text, size_t length, struct toml_error *error)
{
    memset(error, 0, sizeof(*error));
    try {
        return read_text(m, std::string_view(text, length), error);
    } catch (const std::bad_alloc &) {
        errx(126, "out of memory");
    } catch (...) {
        *error = {1, 1, "cannot be read"};
        return nullptr;
    }
}

extern "C" struct toml_value *
toml_get(const struct toml_value *t, const char *key)
{
    if (t == nullptr || t->type != TOML_TABLE)
        return nullptr;
    for (size_t i = 0; i < t->count; i++)
        if (strcmp(t->pairs[i].key, key) == 0)
            return t->pairs[i].value;
    return nullptr;
}

extern "C" const char *
toml_get_string(const struct toml_value *t, const char *key)
{
    const struct toml_value *value = toml_get(t, key);

    return value != nullptr && value->type == TOML_STRING ? value->string : nullptr;
}
