/** What a server that refuses a request answers: status, reason, message and headers. */
export const refusalAnswers = {
  conflict: [
    409,
    "Conflict",
    "the object has been modified; please apply your changes to the latest version and try again",
    {},
  ],
  // An API server always says when to try again: clients do so by themselves.
  "too-many": [429, "TooManyRequests", "the server has received too many requests", { "retry-after": "1" }],
  error: [500, "InternalError", "etcdserver: request timed out", {}],
} as const;
