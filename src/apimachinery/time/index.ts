export { formatDuration, formatNanoseconds, parseDuration, parseNanoseconds } from "./duration.ts";
export { formatMicroTime, formatTime, parseTime } from "./time.ts";
