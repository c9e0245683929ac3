export { type BackoffSettings, defaultBackoff } from "./backoff.ts";
export {
  type AddOptions,
  type QueueObserver,
  type Taken,
  WorkQueue,
  type WorkQueueOptions,
} from "./work-queue.ts";
