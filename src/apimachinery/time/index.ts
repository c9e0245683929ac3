export { backgroundClock, type Clock, type Participant, type TimerPurpose, systemClock } from "./clock.ts";
export { checkCronSchedule, cronTimes } from "./cron-schedule.ts";
export { formatDuration, formatNanoseconds, parseDuration, parseNanoseconds } from "./duration.ts";
export { explainTime } from "./explain-time.ts";
export { FakeClock } from "./fake-clock.ts";
export { settled } from "./settled.ts";
export { formatMicroTime, formatTime, parseTime } from "./time.ts";
