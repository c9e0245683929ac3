export type { EventDetails, EventRecorder } from "./event-recorder.ts";
