/** The five fields of a schedule with their ranges. */
const fields: ReadonlyArray<{ min: number; max: number; names?: readonly string[] }> = [
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

const descriptors = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);

/** Why a schedule is invalid, in the words of the API server's parser; undefined if it is valid. */
export function checkSchedule(schedule: string): string | undefined {
  const text = schedule.replace(/^(CRON_)?TZ=\S*\s*/, "").trim();
  if (text.startsWith("@")) return checkDescriptor(text);
  const parts = text === "" ? [] : text.split(/\s+/);
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`;
  }
  for (const [index, part] of parts.entries()) {
    for (const expression of part.split(",").filter(Boolean)) {
      const reason = checkRange(expression, index);
      if (reason) return reason;
    }
  }
  return undefined;
}

function checkDescriptor(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  const every = "@every ";
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(every.length);
  if (/^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

function checkRange(expression: string, index: number): string | undefined {
  const { min, max } = fields[index]!;
  const [range = "", step, ...slashes] = expression.split("/");
  const [low = "", high, ...hyphens] = range.split("-");
  const isAny = low === "*" || low === "?";
  if (!isAny && hyphens.length > 0) return `too many hyphens: ${expression}`;
  const start = isAny ? min : readNumber(low, index);
  if (typeof start === "string") return start;
  let end = isAny ? max : high === undefined ? start : readNumber(high, index);
  if (typeof end === "string") return end;
  if (slashes.length > 0) return `too many slashes: ${expression}`;
  if (step !== undefined) {
    const every = readNumber(step);
    if (typeof every === "string") return every;
    if (high === undefined) end = max;
    if (every === 0)
      return outOfBounds(start, end) ?? `step of range should be a positive number: ${expression}`;
  }
  return outOfBounds(start, end);

  function outOfBounds(first: number, last: number): string | undefined {
    if (first < min) return `beginning of range (${first}) below minimum (${min}): ${expression}`;
    if (last > max) return `end of range (${last}) above maximum (${max}): ${expression}`;
    if (first > last) return `beginning of range (${first}) beyond end of range (${last}): ${expression}`;
    return undefined;
  }
}

/** A number, or the name of a month or weekday in fields that allow it. */
function readNumber(text: string, index?: number): number | string {
  const { names = [], min = 0 } = index === undefined ? {} : fields[index]!;
  const named = names.indexOf(text.toLowerCase());
  if (named !== -1) return named + min;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}
