import { Cron } from "croner";

/** When a schedule is due. */
export interface DueTimes {
  /** The last time that is not in the future and after the given one. */
  readonly last: number | undefined;
  /** How many such times there are, counted up to a hundred. */
  readonly missed: number;
  readonly next: number | undefined;
}

const most = 100;

/** Finds when a schedule was due since a time, and when it is next. The time zone is UTC unless named. */
export function dueTimes(
  schedule: string,
  timeZone: string | undefined,
  since: number,
  now: number,
): DueTimes {
  const cron = new Cron(schedule, { timezone: timeZone ?? "UTC", paused: true });
  const after = (time: number) => cron.nextRun(new Date(time))?.getTime();
  let last: number | undefined;
  let missed = 0;
  for (let time = after(since); time !== undefined && time <= now; time = after(time)) {
    last = time;
    missed++;
    if (missed < most) continue;
    last = cron.previousRuns(1, new Date(now))[0]?.getTime() ?? last;
    break;
  }
  return { last, missed, next: after(now) };
}
