"""Every limit, with a name. Bytes and characters unless the name says otherwise."""

JUDGE_FILE_BYTES = 1_000_000
CALIBRATION_BYTES = 1_000_000
YAML_DEPTH = 32
#: One or two sentences, and what a talkative model puts before them.
REASON_TOKENS = 200
REASON_CHARS = 2_000
ROW_BYTES = 64_000_000
ROW_DEPTH = 64
CANDIDATES_MIN = 2
CANDIDATES_MAX = 8
REPLY_CHARS = 4_000_000
ERRORS_LISTED = 1_000
RESPONSE_BYTES = 16_000_000
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
CLAIMS_CHARS_PER_CALL = 4_000
#: Sources are not cut into shorter parts than this.
PART_CHARS_MIN = 1_000
#: Of summaries to be merged in one call, where the model's window is not known.
MERGE_PROMPT_TOKENS = 12_000
#: Named behind one sentence of a summary.
CITED_BATCHES = 50
CITED_ITEMS = 3
#: What a browser may send, and how long it may be silent meanwhile.
WEB_BODY_BYTES = 16_000_000
WEB_SILENT_S = 30.0
WORST_NAMED = 5
NAME_CHARS = 200
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
INTERIM_ANSWERS = 20
KEEP_ALIVE_S = 4.0
STALE_WITHIN_S = 2.0
CLOSE_S = 1.0
EXCERPT_CHARS = 300
TRANSPORT_ATTEMPTS = 5
TIME_OUT_ATTEMPTS = 2
DEAD_AFTER_CALLS = 20
BACKOFF_FIRST_S = 0.5
BACKOFF_CAP_S = 30.0
RETRY_AFTER_CAP_S = 120.0
ROUND_MIN = 8
SLOWER_THAN_QUICKEST = 3.0
SLOWER_NOISE_S = 0.5
SLOWER_FACTOR = 0.8
QUICKEST_FORGETS = 1.02
SILENT_S = 10.0
RUN_PARTS_MIN = 16
PART_ITEMS = 256
LOOK_AHEAD_UNITS = 64
SHARE_POLL_S = 0.1
HEARTBEAT_S = 2.0
HEARTBEAT_STALE_S = 15.0
STORE_BUSY_S = 30.0
STORE_POSITIONS = 1 << 62
STORE_STREAM_ROWS = 25
STORE_PAGE_ROWS = 500
STORE_PAGE_CHARS = 4_000_000
STORE_KEYS_PER_QUERY = 500
STORE_ROWS_PER_INSERT = 64
