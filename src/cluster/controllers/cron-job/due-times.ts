import { Cron } from "croner";

/** When a schedule is due. */
export interface DueTimes {
  /** The last time that is not in the future and after the given one. */
  readonly last: Date | undefined;
  /** How many such times there are, counted up to a hundred. */
  readonly missed: number;
  readonly next: Date | undefined;
}

const most = 100;

/** Finds when a schedule was due since a time, and when it is next. The time zone is UTC unless named. */
export function dueTimes(schedule: string, timeZone: string | undefined, since: Date, now: Date): DueTimes {
  const cron = new Cron(schedule, { timezone: timeZone ?? "UTC", paused: true });
  let last: Date | undefined;
  let missed = 0;
  for (let time = cron.nextRun(since); time && time <= now; time = cron.nextRun(time)) {
    last = time;
    missed++;
    if (missed < most) continue;
    last = cron.previousRuns(1, now)[0] ?? last;
    break;
  }
  return { last, missed, next: cron.nextRun(now) ?? undefined };
}
