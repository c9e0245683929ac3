import type { Ui } from "./report.ts";
import { count } from "../../shared/text.ts";

/** How far a long command is with one of its parts. */
export interface Progress {
  /** The part, such as a CRD. */
  readonly name: string;
  readonly done: number;
  /** Absent while the number is unknown. */
  readonly total?: number | undefined;
  /** The work in words: `objects are stored in v2`. */
  readonly words: string;
}

/** Milliseconds between two lines about the same part. */
const lineInterval = 2000;

/**
 * Returns a function that shows progress: on a terminal as a bar, which is replaced each time, elsewhere as a line, at most every
 * two seconds for each part.
 */
export function showProgress(
  ui: Ui,
  now: () => number = () => performance.now(),
): (progress: Progress) => void {
  const shown = new Map<string, number>();
  return (progress) => {
    if (ui.replace) {
      ui.replace((columns) => formatBar(progress, columns));
      return;
    }
    const last = shown.get(progress.name) ?? -Infinity;
    if (now() - last < lineInterval) return;
    shown.set(progress.name, now());
    ui.note(formatLine(progress));
  };
}

function formatLine({ name, done, total, words }: Progress): string {
  return `${name}: ${done}${total === undefined ? "" : ` of about ${total}`} ${words}`;
}

const longestBar = 40;

/** Formats a bar that fits into a line of a terminal; without a total, or without room for a bar, only the numbers. */
function formatBar(progress: Progress, columns: number): string {
  const { name, done, total } = progress;
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total);
  if (share === undefined) return formatLine(progress).slice(0, columns - 1);
  const numbers = ` ${Math.floor(share * 100)} %  ${done} of about ${count(total!, "object")}`;
  const room = Math.min(longestBar, columns - 1 - name.length - numbers.length - 3);
  if (room < 5) return formatLine(progress).slice(0, columns - 1);
  const filled = Math.floor(share * room);
  return `${name} [${"#".repeat(filled)}${"-".repeat(room - filled)}]${numbers}`;
}
