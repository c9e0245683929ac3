/** The five fields of a cron schedule with their ranges: minute, hour, day of the month, month, day of the week. */
export const cronFields: ReadonlyArray<{ min: number; max: number; names?: readonly string[] }> = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

/** The short forms, and what they stand for. */
export const cronDescriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** Which values of a field an expression such as `1-5/2` means. */
export interface CronRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  /** Written as `*` or `?`. */
  readonly isAny: boolean;
}

/** Why a cron schedule is invalid, in the words of the API server's parser; undefined if it is valid. */
export function checkCronSchedule(schedule: string): string | undefined {
  const text = schedule.replace(/^(CRON_)?TZ=\S*\s*/, "").trim();
  if (text.startsWith("@")) return checkDescriptor(text);
  const parts = text === "" ? [] : text.split(/\s+/);
  if (parts.length !== cronFields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  for (const [index, part] of parts.entries()) {
    for (const expression of part.split(",").filter(Boolean)) {
      const range = readCronRange(expression, index);
      if (typeof range === "string") return range;
    }
  }
  return undefined;
}

function checkDescriptor(text: string): string | undefined {
  if (cronDescriptors.has(text)) return undefined;
  const every = "@every ";
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(every.length);
  if (/^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

/** Reads an expression of a field; returns the reason if it is invalid. */
export function readCronRange(expression: string, index: number): CronRange | string {
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
  const every = step === undefined ? 1 : readNumber(step);
  if (typeof every === "string") return every;
  if (step !== undefined && high === undefined) end = max;
  const reason = outOfBounds(start, end);
  if (reason !== undefined) return reason;
  if (every === 0) return `step of range should be a positive number: ${expression}`;
  return { first: start, last: end, step: every, isAny };

  function outOfBounds(first: number, last: number): string | undefined {
    if (first < min) return `beginning of range (${first}) below minimum (${min}): ${expression}`;
    if (last > max) return `end of range (${last}) above maximum (${max}): ${expression}`;
    if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${expression}`;
    return undefined;
  }
}

/** A number, or the name of a month or weekday in fields that allow it. */
function readNumber(text: string, index?: number): number | string {
  const { names = [], min = 0 } = index === undefined ? {} : cronFields[index]!;
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + min;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}
