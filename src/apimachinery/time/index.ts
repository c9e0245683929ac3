export { backgroundClock, type Clock, systemClock } from "./clock.ts";
export { formatDuration, formatNanoseconds, parseDuration, parseNanoseconds } from "./duration.ts";
export { FakeClock } from "./fake-clock.ts";
export { formatMicroTime, formatTime, parseTime } from "./time.ts";
