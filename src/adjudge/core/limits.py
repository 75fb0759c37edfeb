"""Every limit, with a name. Bytes and characters unless the name says otherwise."""

JUDGE_FILE_BYTES = 1_000_000
CALIBRATION_BYTES = 1_000_000
YAML_DEPTH = 32
#: One or two sentences, and what a talkative model puts before them.
REASON_TOKENS = 200
REASON_CHARS = 2_000
#: Of "yes" and "no" together: a less likely answer than this was no answer to the question.
YES_NO_MASS = 0.5
#: As a share of the scale: how far the score may depend on what a server does not state.
YES_NO_TOLERANCE = 0.1
#: What stated probabilities may add up to: servers round them.
PROBABILITY_MOST = 1.05
ROW_BYTES = 64_000_000
ROW_DEPTH = 64
#: Of one field of a row, all of its texts together: more than the longest window of a model holds.
FIELD_CHARS = 8_000_000
CANDIDATES_MIN = 2
CANDIDATES_MAX = 8
#: Three times what ROOM_TOKENS can spell; the slowest reply of this size is read within a second or two.
REPLY_CHARS = 400_000
ERRORS_LISTED = 1_000
#: Columns of a table whose names are looked at for slips of the pen, and columns that an error names.
COLUMNS_LOOKED_AT = 1_000
COLUMNS_LISTED = 30
RESPONSE_BYTES = 16_000_000
#: Calls after a reply that could not be used, of any kind and for one question in all.
ASKED_AGAIN = 2
#: How often processes that a candidate's program left behind are looked for and killed, and the pause between.
PROGRAM_SWEEPS = 200
PROGRAM_SWEEP_S = 0.01
ROOM_FIRST_TOKENS = 2_048
ROOM_TOKENS = 32_768
QUESTIONS_PER_SOURCE_MIN = 6
QUESTIONS_PER_SOURCE_MAX = 12
#: Of a question that is written for a source, and of its answer.
QUESTION_CHARS = 400
QUESTIONS_PER_CALL = 40
#: Quotations of one verdict; no honest reply has more.
QUOTES_LOOKED_UP = 500
CLAIMS_PER_CALL = 20
#: That a text is taken to make, and characters of one of them.
CLAIMS = 1_000
CLAIM_CHARS = 2_000
#: Letters and figures of a text that must make some claim: a list of none is no answer to it.
STATING_CHARS = 60
CLAIMS_CHARS_PER_CALL = 4_000
#: Sources are not cut into shorter parts than this.
PART_CHARS_MIN = 1_000
#: Of summaries to be merged in one call, where the model's window is not known.
MERGE_PROMPT_TOKENS = 12_000
#: Named behind one sentence of a summary.
CITED_BATCHES = 50
CITED_ITEMS = 3
#: What may be sent to the web page: a JSON object, the first line, all that stands before a body, and how many headers
#: and fields are in them.
WEB_OBJECT_BYTES = 64_000
WEB_LINE_BYTES = 8_000
WEB_HEAD_BYTES = 32_000
WEB_HEADERS = 100
WEB_FIELDS = 1_000
#: How long it may be silent, take to say what it wants, and take to hear the answer.
WEB_SILENT_S = 30.0
WEB_REQUEST_S = 120.0
WEB_ANSWER_S = 600.0
#: Of a body that nobody wants, so that the one who sends it hears why.
WEB_DRAINED_BYTES = 1_000_000
WEB_DRAINED_S = 2.0
#: Connections at once; of those that only wait for their client, the longest waiting makes room for a new one, and then
#: one that did not take a piece of its answer for so long.
WEB_CONNECTIONS = 64
WEB_STALLED_S = 2.0
#: For answers under way when the server ends.
WEB_CLOSE_S = 5.0
WEB_TOKEN_CHARS = 16
#: Sixteen random hexadecimal digits have as many but once in thousands.
WEB_TOKEN_DIFFERENT = 6
#: Given by the JSON interface at once, and runs that are compared at once.
WEB_LISTED = 1_000
WEB_COMPARED = 8
#: Of two or more runs, in the memory of the web page.
COMPARISONS_KEPT = 4
#: Longer texts are shown beside each other, without what differs in them.
COMPARED_WORDS = 2_000
COMPARED_LINES = 2_000
#: Of a bundled sample, to show prompts for.
SAMPLE_ROWS = 50
#: Judges of stored runs that are kept in memory once they were read.
JUDGES_KEPT = 32
#: Indexes of items and reports that the web page keeps in memory, and queries of one index.
WEB_INDEXES = 8
WEB_REPORTS = 64
WEB_QUERIES = 16
#: Runs whose pace is known, and from how many seconds; failures that are shown of a run that goes on.
WEB_PACED_RUNS = 64
WEB_PACED_S = 60.0
WEB_FAILURES = 5
#: Rows of a list on one page.
WEB_PAGE_ROWS = 50
#: The list of runs has a figure of those with so many items at most: it takes all their verdicts.
WEB_FIGURE_ITEMS = 20_000
#: Of texts of items, as stored, in which a search looks.
WEB_SEARCH_CHARS = 400_000_000
#: What is made of a run that grows is made again after so many times as long as it took.
WEB_RENEWED_AFTER = 10.0
WORST_NAMED = 5
#: Rows of items in a report, and what they may weigh: as an attachment it stays under the 25 MB that mail takes.
REPORT_ITEMS = 10_000
REPORT_BYTES = 18_000_000
#: Of one raw reply on a page, and of how many of one item.
REPLY_SHOWN_CHARS = 20_000
REPLIES_SHOWN = 40
NAME_CHARS = 200
#: What a person may write beside a label.
COMMENT_CHARS = 10_000
#: What a person who labels is shown of one text, and of how many sources and open items; and what they may send.
LABEL_TEXT_CHARS = 200_000
LABEL_SOURCES = 200
LABEL_PLACES = 100
LABEL_FORM_BYTES = 128_000
#: A file of labels that a browser sends.
LABEL_FILE_BYTES = 16_000_000
CONNECT_TIMEOUT_S = 10.0
ANSWER_TIMEOUT_S = 300.0
CANDIDATE_TIMEOUT_S = 60.0
#: What a candidate may send, with what it retrieved, and how long an answer to be judged may be.
CANDIDATE_BYTES = 4_000_000
ANSWER_CHARS = 200_000
#: Programs of one candidate that run at once.
PROGRAMS = 8
PROBE_WAIT_S = 0.01
ERROR_BODY_BYTES = 64_000
HEAD_BYTES = 64_000
HEAD_LINES = 200
CHUNK_LINE_BYTES = 4_000
#: What is taken from a connection at a time: more than most answers have.
READ_BYTES = 16_384
INTERIM_ANSWERS = 20
KEEP_ALIVE_S = 4.0
STALE_WITHIN_S = 2.0
CLOSE_S = 1.0
EXCERPT_CHARS = 300
TRANSPORT_ATTEMPTS = 5
TIME_OUT_ATTEMPTS = 2
#: Where an answer came, and was paid for, that can't be read.
PAID_ATTEMPTS = 2
DEAD_AFTER_CALLS = 20
BACKOFF_FIRST_S = 0.5
BACKOFF_CAP_S = 30.0
RETRY_AFTER_CAP_S = 120.0
#: How long a run goes on asking a server that tells it to wait and answers nothing.
MAX_WAIT_S = 600.0
ROUND_MIN = 8
SLOWER_THAN_QUICKEST = 3.0
SLOWER_NOISE_S = 0.5
SLOWER_FACTOR = 0.8
QUICKEST_FORGETS = 1.02
SILENT_S = 10.0
RUN_PARTS_MIN = 16
PART_ITEMS = 256
LOOK_AHEAD_UNITS = 64
SHARE_POLL_S = 0.02
CREW_MOST = 4
CREW_ITEMS = 250
CREW_REQUESTS = 32
HEARTBEAT_S = 2.0
HEARTBEAT_STALE_S = 15.0
STORE_BUSY_S = 30.0
STORE_POSITIONS = 1 << 62
STORE_STREAM_ROWS = 25
STORE_PAGE_ROWS = 500
STORE_PAGE_CHARS = 4_000_000
STORE_KEYS_PER_QUERY = 500
STORE_ROWS_PER_INSERT = 64
COMMIT_TURNS = 2
COMMIT_AGAIN_S = 0.0005
COMMIT_PATIENCE_S = 0.1
#: Of the curve of what a run spent.
SPENDING_POINTS = 200
#: A run that was silent so many times as long as usual was not at work: not under a minute, surely after an hour.
PAUSE_TIMES_USUAL = 20
PAUSE_LEAST_S = 60.0
PAUSE_SURELY_S = 3600.0
