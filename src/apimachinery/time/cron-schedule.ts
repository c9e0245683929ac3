const minute = 60_000;
const minutesOfDay = 24 * 60;
const day = minutesOfDay * minute;

/** The longest time between two 29 February, when a year that is divisible by 100 is between them. */
const maxDays = 8 * 366;

/** The short forms, and what they stand for. */
const cronDescriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/**
 * The times of a cron schedule in UTC, as Kubernetes has them without a time zone: a function that returns the first one
 * after a given time. Throws a `TypeError` if the schedule is invalid, or never due.
 */
export function cronTimes(schedule: string): (after: number) => number {
  const text = schedule.trim();
  const fields = /^(?:CRON_)?TZ=|^@every /.test(text)
    ? "time zones and @every are not supported"
    : (checkDescriptor(text) ?? readFields(cronDescriptors.get(text) ?? text));
  if (typeof fields === "string")
    throw new TypeError(`${JSON.stringify(schedule)} is not a schedule: ${fields}`);
  const [minutes, hours, days, months, weekdays] = fields as [Field, Field, Field, Field, Field];
  const isEveryDay = [days, months, weekdays].every(({ isAny }) => isAny);
  const isDay = (date: Date): boolean => {
    const matchesMonthDay = days.values.has(date.getUTCDate());
    const matchesWeekday = weekdays.values.has(date.getUTCDay());
    if (!months.values.has(date.getUTCMonth() + 1)) return false;
    // If both are restricted, one of them is enough.
    return days.isAny || weekdays.isAny
      ? matchesMonthDay && matchesWeekday
      : matchesMonthDay || matchesWeekday;
  };
  /** Returns the first minute of a day that is due, from the given one on; undefined if there is none. */
  const findInDay = (from: number): number | undefined => {
    const hour = Math.floor(from / 60);
    const inHour = hours.values.has(hour) ? valueFrom(minutes, from % 60) : undefined;
    if (inHour !== undefined) return hour * 60 + inHour;
    const [later, first] = [valueFrom(hours, hour + 1), valueFrom(minutes, 0)];
    return later === undefined || first === undefined ? undefined : later * 60 + first;
  };
  const find = (after: number): number | undefined => {
    const today = Math.floor(after / day);
    let from = Math.floor((after - today * day) / minute) + 1;
    for (let date = today; date <= today + maxDays; date++) {
      const found = isEveryDay || isDay(new Date(date * day)) ? findInDay(from) : undefined;
      if (found !== undefined) return date * day + found * minute;
      from = 0;
    }
    return undefined;
  };
  if (find(0) === undefined) throw new TypeError(`${JSON.stringify(schedule)} is never due`);
  return (after) => find(after)!;
}

/** Returns the first value of a field that isn't less than the given one; undefined if there is none. */
function valueFrom({ values }: Field, least: number): number | undefined {
  for (const value of values) if (value >= least) return value;
  return undefined;
}

/** The values of a field in ascending order, and whether it allows any. */
interface Field {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

/** The five fields of a cron schedule with their ranges: minute, hour, day of the month, month, day of the week. */
const cronFields: ReadonlyArray<{ min: number; max: number; names?: readonly string[] }> = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { min: 0, max: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];

/** Reads the fields of a schedule; returns the reason if one is invalid. */
function readFields(text: string): Field[] | string {
  const parts = text === "" ? [] : text.split(/\s+/);
  if (parts.length !== cronFields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  const fields: Field[] = [];
  for (const [index, part] of parts.entries()) {
    const values = new Set<number>();
    let isAny = false;
    for (const expression of part.split(",").filter(Boolean)) {
      const range = readCronRange(expression, index);
      if (typeof range === "string") return range;
      for (let value = range.first; value <= range.last; value += range.step) values.add(value);
      isAny ||= range.isAny && range.step === 1;
    }
    fields.push({ values: new Set([...values].sort((a, b) => a - b)), isAny });
  }
  return fields;
}

/** Returns why a cron schedule is invalid, in the words of the API server's parser; undefined if it is valid. */
export function checkCronSchedule(schedule: string): string | undefined {
  const text = schedule.replace(/^(CRON_)?TZ=\S*\s*/, "").trim();
  if (text.startsWith("@")) return checkDescriptor(text);
  const fields = readFields(text);
  return typeof fields === "string" ? fields : undefined;
}

/** Returns why a short form is invalid; undefined for a valid one, and for a schedule with fields. */
function checkDescriptor(text: string): string | undefined {
  if (!text.startsWith("@") || cronDescriptors.has(text)) return undefined;
  const every = "@every ";
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(every.length);
  if (/^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** The values of a field that an expression such as `1-5/2` means. */
interface CronRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  /** Written as `*` or `?`. */
  readonly isAny: boolean;
}

/** Reads an expression of a field; returns the reason if it is invalid. */
function readCronRange(expression: string, index: number): CronRange | string {
  const { min, max } = cronFields[index]!;
  const [range = "", step, ...slashes] = expression.split("/");
  const [low = "", high, ...hyphens] = range.split("-");
  const isAny = low === "*" || low === "?";
  if (!isAny && hyphens.length > 0) return `too many hyphens: ${expression}`;
  const start = isAny ? min : readNumber(low, index);
  if (typeof start === "string") return start;
  let end = isAny ? max : high === undefined ? start : readNumber(high, index);
  if (typeof end === "string") return end;
  if (slashes.length > 0) return `too many slashes: ${expression}`;
  const stride = step === undefined ? 1 : readNumber(step);
  if (typeof stride === "string") return stride;
  if (step !== undefined && high === undefined) end = max;
  const reason = outOfBounds(start, end);
  if (reason !== undefined) return reason;
  if (stride === 0) return `step of range should be a positive number: ${expression}`;
  return { first: start, last: end, step: stride, isAny };

  function outOfBounds(first: number, last: number): string | undefined {
    if (first < min) return `beginning of range (${first}) below minimum (${min}): ${expression}`;
    if (last > max) return `end of range (${last}) above maximum (${max}): ${expression}`;
    if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${expression}`;
    return undefined;
  }
}

/** Reads a number, or the name of a month or weekday in fields that allow it; returns the reason if it is neither. */
function readNumber(text: string, index?: number): number | string {
  const { names = [], min = 0 } = index === undefined ? {} : cronFields[index]!;
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + min;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}
