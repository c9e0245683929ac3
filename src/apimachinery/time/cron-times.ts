import { checkCronSchedule, cronDescriptors, cronFields, readCronRange } from "./cron-schedule.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The longest time between two 29 February, when a year that is divisible by 100 is between them. */
const mostDays = 8 * 366;

/** The values of a field, and whether it allows any. */
interface Field {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

/**
 * The times of a cron schedule in UTC, as Kubernetes has them without a time zone: a function that returns the first one
 * after a given time. Throws a `TypeError` if the schedule is invalid, or never due.
 */
export function cronTimes(schedule: string): (after: number) => number {
  const text = schedule.trim();
  const reason = /^(?:CRON_)?TZ=|^@every /.test(text)
    ? "time zones and @every are not supported"
    : checkCronSchedule(text);
  if (reason !== undefined) throw new TypeError(`${JSON.stringify(schedule)} is not a schedule: ${reason}`);
  const [minutes, hours, days, months, weekdays] = fieldsOf(cronDescriptors.get(text) ?? text);
  const isDay = (date: Date): boolean => {
    const isOfMonth = days!.values.has(date.getUTCDate());
    const isOfWeek = weekdays!.values.has(date.getUTCDay());
    if (!months!.values.has(date.getUTCMonth() + 1)) return false;
    // If both are restricted, one of them is enough.
    return days!.isAny || weekdays!.isAny ? isOfMonth && isOfWeek : isOfMonth || isOfWeek;
  };
  const find = (after: number): number | undefined => {
    const today = Math.floor(after / day) * day;
    for (let date = today; date <= today + mostDays * day; date += day) {
      if (!isDay(new Date(date))) continue;
      for (const ofHour of hours!.values) {
        for (const ofMinute of minutes!.values) {
          const time = date + ofHour * hour + ofMinute * minute;
          if (time > after) return time;
        }
      }
    }
    return undefined;
  };
  if (find(0) === undefined) throw new TypeError(`${JSON.stringify(schedule)} is never due`);
  return (after) => find(after)!;
}

function fieldsOf(text: string): Field[] {
  return text.split(/\s+/).map((part, index) => {
    const values = new Set<number>();
    let isAny = false;
    for (const expression of part.split(",").filter(Boolean)) {
      const range = readCronRange(expression, index);
      if (typeof range === "string") continue;
      for (let value = range.first; value <= range.last; value += range.step) values.add(value);
      isAny ||= range.isAny && range.step === 1;
    }
    const { min, max } = cronFields[index]!;
    const sorted = Array.from({ length: max - min + 1 }, (_, at) => min + at).filter((value) =>
      values.has(value),
    );
    return { values: new Set(sorted), isAny };
  });
}
