/* A fake model server for the benchmarks: OpenAI's chat completions on loopback, one thread, one epoll loop (Linux).
 *
 *   cc -O2 -o server server.c
 *   ./server [--port N] [--latency-ms N] [--text JSON] [--record FILE]        prints the port it listens on
 *
 * POST .../chat/completions   answers with the least instance of response_format.json_schema.schema, or with --text
 * GET  /stats                 requests, in_flight, most_in_flight, connections; first and last request, monotonic clock
 *
 * Every answer comes --latency-ms after the last byte of its request, however many others are waiting. --record keeps
 * the bodies of the requests, one a line. SIGTERM, SIGINT and the end of the parent end it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* ---- growing text ---- */
typedef struct { char *p; size_t n, room; } Buf;

static void need(Buf *b, size_t more) {
    if (b->n + more < b->room) return;
    b->room = (b->n + more + 1) * 2;
    if (!(b->p = realloc(b->p, b->room))) abort();
}
static void put(Buf *b, const char *s, size_t n) { need(b, n); memcpy(b->p + b->n, s, n); b->n += n; b->p[b->n] = 0; }
static void say(Buf *b, const char *s) { put(b, s, strlen(s)); }
static void sayf(Buf *b, const char *form, ...) {
    char text[512];
    va_list args;
    va_start(args, form);
    int n = vsnprintf(text, sizeof text, form, args);
    va_end(args);
    put(b, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}
static void escaped(Buf *b, const char *s, size_t n) {       /* as the inside of a JSON string */
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') { put(b, "\\", 1); put(b, s + i, 1); }
        else if (c < 0x20) sayf(b, "\\u%04x", c);
        else put(b, s + i, 1);
    }
}

/* ---- JSON, read where it stands: a value is a pointer to its first byte; every text ends in a NUL ---- */
static const char *blank(const char *p) { while (*p && strchr(" \n\r\t", *p)) p++; return p; }
static const char *string_end(const char *p) {               /* from the opening quote to behind the closing one */
    for (p++; *p && *p != '"'; p++) if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : p;
}
static const char *end_of(const char *p) {                   /* behind a value; brackets are trusted to match */
    int depth = 0;
    do {
        p = blank(p);
        if (*p == '"') p = string_end(p);
        else if (*p == '{' || *p == '[') { depth++; p++; }
        else if (*p == '}' || *p == ']') { depth--; p++; }
        else if (*p == ',' || *p == ':') p++;
        else p += strcspn(p, ",:]}[{\" \n\r\t");
    } while (*p && depth > 0);
    return p;
}
/* Steps through an object or array: for (Walk w = walk(container); (value = step(&w));) */
typedef struct { const char *at, *key; size_t key_n; int object; } Walk;
static Walk walk(const char *container) { return (Walk){.at = container, .object = container && *container == '{'}; }
static const char *step(Walk *w) {                           /* at stands on the opening bracket, a comma, or the end */
    const char *p = w->at && strchr("{[,", *w->at) && *w->at ? blank(w->at + 1) : "";
    if (!*p || *p == '}' || *p == ']') return NULL;
    if (w->object) {
        const char *end = string_end(p);
        w->key = p + 1; w->key_n = (size_t)(end - p) - 2;
        p = blank(blank(end) + 1);
    }
    w->at = blank(end_of(p));
    return p;
}
static const char *member_n(const char *object, const char *name, size_t n) {
    const char *value = NULL;
    if (object && *object == '{')
        for (Walk w = walk(object); (value = step(&w));) if (w.key_n == n && !memcmp(w.key, name, n)) break;
    return value;
}
static const char *member(const char *object, const char *name) { return member_n(object, name, strlen(name)); }
static int is(const char *value, const char *text) {
    return value && *value == '"' && !strncmp(value + 1, text, strlen(text)) && value[strlen(text) + 1] == '"';
}
static const char *first(const char *array) { Walk w = walk(array); return step(&w); }

/* ---- the least valid instance of a JSON schema ---- */
static const char REASON[] = "\"The text keeps to its source throughout; one detail of lesser weight is left out.\"";

static void copy(Buf *out, const char *value) { put(out, value, (size_t)(end_of(value) - value)); }

static int listed(const char *names, const char *name, size_t n) {
    const char *value;
    for (Walk w = walk(names); (value = step(&w));)
        if ((size_t)(end_of(value) - value) == n + 2 && !memcmp(value + 1, name, n)) break;
    return value != NULL;
}
static void instance(Buf *out, const char *schema, const char *root, int depth) {
    const char *found, *type = member(schema, "type");
    if (!schema || depth > 40) { say(out, "null"); return; }
    if ((found = member(schema, "$ref"))) {                  /* "#/$defs/name" */
        const char *end = string_end(found) - 1, *at = root;
        for (const char *part = found + 3; at && part < end;) {
            size_t n = strcspn(part, "/\"");
            at = member_n(at, part, n);
            part += n + 1;
        }
        instance(out, at, root, depth + 1);
        return;
    }
    if ((found = member(schema, "const"))) { copy(out, found); return; }
    if ((found = member(schema, "enum")) && (found = first(found))) { copy(out, found); return; }
    if ((found = member(schema, "anyOf"))) { instance(out, first(found), root, depth + 1); return; }
    if (type && *type == '[') type = first(type);
    if (is(type, "object")) {
        const char *required = member(schema, "required"), *comma = "";
        say(out, "{");
        for (Walk w = walk(member(schema, "properties")); (found = step(&w));) {
            if (required && !listed(required, w.key, w.key_n)) continue;
            sayf(out, "%s\"", comma); put(out, w.key, w.key_n); say(out, "\": ");
            instance(out, found, root, depth + 1);
            comma = ", ";
        }
        say(out, "}");
    } else if (is(type, "array")) {
        int least = (found = member(schema, "minItems")) ? atoi(found) : 1;    /* an empty list judges nothing */
        say(out, "[");
        for (int i = 0; i < (least > 1 ? least : 1); i++) {
            if (i) say(out, ", ");
            instance(out, member(schema, "items"), root, depth + 1);
        }
        say(out, "]");
    } else if (is(type, "integer") || is(type, "number")) {
        if ((found = member(schema, "minimum")) || (found = member(schema, "maximum"))) copy(out, found);
        else say(out, "0");
    } else say(out, is(type, "boolean") ? "true" : is(type, "null") ? "null" : REASON);
}

/* ---- answers: what to say is made once for each schema ---- */
typedef struct Said { uint64_t hash; size_t n; char *schema; Buf content; size_t raw; struct Said *next; } Said;
static Said *schemas[1024], plain = {.content = {0}};

static Said *said(const char *schema) {
    if (!schema) return &plain;
    size_t n = (size_t)(end_of(schema) - schema);
    uint64_t hash = 14695981039346656037ull;                 /* FNV-1a */
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)schema[i]) * 1099511628211ull;
    Said **place = &schemas[hash % 1024];
    for (Said *s = *place; s; s = s->next) if (s->hash == hash && s->n == n && !memcmp(s->schema, schema, n)) return s;
    Said *s = calloc(1, sizeof *s);
    Buf content = {0};
    if (!s || !(s->schema = strndup(schema, n))) abort();
    s->hash = hash; s->n = n;
    instance(&content, s->schema, s->schema, 0);
    escaped(&s->content, content.p, content.n);
    s->raw = content.n; s->next = *place; *place = s;
    free(content.p);
    return s;
}
static void answer(Buf *out, int status, const Buf *body) {
    sayf(out, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
         status, status == 200 ? "OK" : "Not Found", body->n);
    put(out, body->p, body->n);
}
static void complete(Buf *out, const char *request, size_t request_n, uint64_t number) {
    static Buf body;
    const Said *what = said(member(member(member(request, "response_format"), "json_schema"), "schema"));
    size_t in = request_n / 4, of = what->raw / 4 + 1;
    body.n = 0;
    sayf(&body, "{\"id\":\"chatcmpl-%llu\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"fake\",",
         (unsigned long long)number);
    say(&body, "\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",");
    say(&body, "\"message\":{\"role\":\"assistant\",\"content\":\"");
    put(&body, what->content.p, what->content.n);
    sayf(&body, "\"}}],\"usage\":{\"prompt_tokens\":%zu,\"completion_tokens\":%zu,\"total_tokens\":%zu}}",
         in, of, in + of);
    answer(out, 200, &body);
}

/* ---- connections; a constant latency makes the queue of answers a plain one: who came first is due first ---- */
typedef struct Conn { int fd, waiting, gone; double due; Buf in, out; size_t sent; struct Conn *next; } Conn;
static Conn *head, *tail;
static int loop_fd;
static double latency;
static FILE *record;
static struct { uint64_t requests, connections; int flying, most; double first, last; } stats;
static volatile sig_atomic_t stop;

static void end(int signal_number) { (void)signal_number; stop = 1; }
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void drop(Conn *c) {                                  /* who waits in the queue is freed when its turn comes */
    if (!c->gone) { close(c->fd); c->gone = 1; if (c->waiting) stats.flying--; }
    if (!c->waiting) { free(c->in.p); free(c->out.p); free(c); }
}
static int flush(Conn *c) {                                  /* 0 when the connection has ended */
    while (c->sent < c->out.n) {
        ssize_t n = send(c->fd, c->out.p + c->sent, c->out.n - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
            struct epoll_event more = {EPOLLIN | EPOLLOUT | EPOLLET, {.ptr = c}};
            epoll_ctl(loop_fd, EPOLL_CTL_MOD, c->fd, &more);
            return 1;
        }
        if (n <= 0) { drop(c); return 0; }
        c->sent += (size_t)n;
    }
    c->out.n = c->sent = 0;
    return 1;
}
static int take(Conn *c) {                                   /* one whole request; 0 when there is none */
    char *head_end = c->waiting || !c->in.n ? NULL : strstr(c->in.p, "\r\n\r\n");
    if (!head_end) return 0;
    char *length = strcasestr(c->in.p, "\r\ncontent-length:");
    size_t start = (size_t)(head_end - c->in.p) + 4, n = 0;
    if (length && length < head_end) n = strtoul(length + 17, NULL, 10);
    if (c->in.n < start + n) return 0;
    char kept = c->in.p[start + n];
    const char *body = c->in.p + start;
    c->in.p[start + n] = 0;
    static Buf told;
    told.n = 0;
    char *line_end = strstr(c->in.p, "\r\n"), *completions = strstr(c->in.p, "/chat/completions ");
    if (!strncmp(c->in.p, "POST ", 5) && completions && completions < line_end) {
        double at = now();
        if (!stats.requests++) stats.first = at;
        stats.last = at;
        if (++stats.flying > stats.most) stats.most = stats.flying;
        if (record) { fwrite(body, 1, n, record); fputc('\n', record); }
        complete(&c->out, blank(body), n, stats.requests);
        if (latency > 0) {
            c->waiting = 1; c->due = at + latency; c->next = NULL;
            if (tail) tail->next = c; else head = c;
            tail = c;
        } else stats.flying--;
    } else if (!strncmp(c->in.p, "GET /stats ", 11)) {
        sayf(&told, "{\"requests\":%llu,\"in_flight\":%d,\"most_in_flight\":%d,\"connections\":%llu,",
             (unsigned long long)stats.requests, stats.flying, stats.most, (unsigned long long)stats.connections);
        sayf(&told, "\"first\":%.6f,\"last\":%.6f}", stats.first, stats.last);
        answer(&c->out, 200, &told);
    } else {
        say(&told, "{\"error\":{\"message\":\"POST /v1/chat/completions or GET /stats\"}}");
        answer(&c->out, 404, &told);
    }
    c->in.p[start + n] = kept;
    c->in.n -= start + n;
    memmove(c->in.p, c->in.p + start + n, c->in.n + 1);
    return 1;
}
static void serve(Conn *c) {
    for (int open = 1; open;) {                              /* what a client sent before it ended counts as asked */
        need(&c->in, 65536);
        ssize_t n = recv(c->fd, c->in.p + c->in.n, 65535, 0);
        if (n < 0 && errno == EAGAIN) break;
        open = n > 0;
        if (open) { c->in.n += (size_t)n; c->in.p[c->in.n] = 0; }
        while (take(c)) if (!c->waiting && !flush(c)) return;
        if (!open) drop(c);
    }
}
static void send_due(void) {
    for (double at = now(); head && head->due <= at;) {
        Conn *c = head;
        head = c->next;
        if (!head) tail = NULL;
        c->waiting = 0;
        if (c->gone) { drop(c); continue; }
        stats.flying--;
        if (flush(c)) serve(c);
    }
}
static int listening(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, size) || listen(fd, 4096)) { perror("server"); exit(1); }
    getsockname(fd, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}
static void greet(int door) {
    for (int fd, on = 1; (fd = accept4(door, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        Conn *c = calloc(1, sizeof *c);
        if (!c) abort();
        c->fd = fd;
        stats.connections++;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event event = {EPOLLIN | EPOLLET, {.ptr = c}};
        epoll_ctl(loop_fd, EPOLL_CTL_ADD, fd, &event);
    }
}
int main(int count, char **words) {
    int port = 0;
    const char *text = "{\"score\": 4, \"justification\": \"Sound.\"}";
    for (int i = 1; i + 1 < count; i += 2) {
        if (!strcmp(words[i], "--port")) port = atoi(words[i + 1]);
        else if (!strcmp(words[i], "--latency-ms")) latency = atof(words[i + 1]) / 1000;
        else if (!strcmp(words[i], "--text")) text = words[i + 1];
        else if (!strcmp(words[i], "--record")) record = fopen(words[i + 1], "wb");
    }
    plain.raw = strlen(text);
    escaped(&plain.content, text, plain.raw);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGTERM, end); signal(SIGINT, end);
    int door = listening(port), clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct epoll_event events[256], on_door = {EPOLLIN, {.ptr = &door}};
    struct epoll_event on_clock = {EPOLLIN | EPOLLET, {.ptr = &clock_fd}};
    loop_fd = epoll_create1(0);
    epoll_ctl(loop_fd, EPOLL_CTL_ADD, door, &on_door);
    epoll_ctl(loop_fd, EPOLL_CTL_ADD, clock_fd, &on_clock);
    while (!stop) {
        if (head) {
            time_t whole = (time_t)head->due;
            struct itimerspec at = {.it_value = {whole, (long)((head->due - (double)whole) * 999999999)}};
            timerfd_settime(clock_fd, TFD_TIMER_ABSTIME, &at, NULL);
        }
        int n = epoll_wait(loop_fd, events, 256, -1);
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr == &door) greet(door);
            else if (events[i].data.ptr != &clock_fd) {
                Conn *c = events[i].data.ptr;
                if (c->waiting || flush(c)) serve(c);
            }
        }
        send_due();
    }
    if (record) fclose(record);
    return 0;
}
