export { formatDuration, parseDuration } from "./duration.ts";
