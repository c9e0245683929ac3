import { readableLogLine } from "../../dev/view/readable-log.ts";
import { countUntil } from "../../dev/record/count-until.ts";
import type { Printed } from "../history/history.ts";
import { Rows } from "./rows.tsx";
import { Empty } from "./messages.tsx";
import { matcher, timeOfDay } from "./texts.ts";
import { usePage } from "./shown.ts";
import type { DiffLine } from "../history/object-yaml.ts";

/** The output of the operator and of dev up to the moment that is shown. */
export function LogView() {
  const { feed, shown, moment } = usePage();
  const all = feed.history.printed;
  const past = all.slice(
    0,
    countUntil(all, ({ at }) => at <= moment),
  );
  const matches = matcher(shown.filter);
  const printed = past.filter(({ text }) => matches(text));
  if (printed.length === 0) return <Empty isFiltered={past.length > 0}>Nothing was printed.</Empty>;
  return <PrintedLines printed={printed} />;
}

export function PrintedLines({ printed }: { readonly printed: readonly Printed[] }) {
  return (
    <Rows
      items={printed}
      height={22}
      keyOf={(_, index) => String(index)}
      isFollowing
      attributes={{ role: "log", "aria-label": "Log", tabIndex: 0 }}
    >
      {({ at, by, text }) => (
        <span class="printed" title={text}>
          <time>{timeOfDay(at)}</time> <span class="dim">{by}</span> {readableLogLine(text)?.text ?? text}
        </span>
      )}
    </Rows>
  );
}

interface DifferenceLinesProps {
  readonly lines: readonly DiffLine[];
  readonly label: string;
}

/** The lines of a difference. Signs tell them apart, as colours alone would not for everybody. */
export function DifferenceLines({ lines, label }: DifferenceLinesProps) {
  return (
    <pre class="difference" tabIndex={0} aria-label={label}>
      {lines.map(({ sign, text }) => (
        <span class={names[sign]}>{`${sign} ${text}\n`}</span>
      ))}
    </pre>
  );
}

const names = { "+": "added", "-": "removed", " ": "same" } as const;
