import { Cron } from "croner";

/** The times of a schedule. */
export interface DueTimes {
  /** The last time after the given one that is not in the future. */
  readonly last: number | undefined;
  /** How many such times there are, up to a hundred. */
  readonly missed: number;
  readonly next: number | undefined;
}

const most = 100;

/** Finds when a schedule was due since a given time, and when it is due next. Default time zone: UTC. */
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
