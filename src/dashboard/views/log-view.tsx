import { readableLogLine } from "../../dev/readable-log-line.ts";
import { countUntil, type Printed } from "../history/history.ts";
import { Rows } from "./rows.tsx";
import { Empty } from "./empty.tsx";
import { matcher } from "./matcher.ts";
import { usePage } from "./shown.ts";
import { timeOfDay } from "./times.ts";

/** What the operator and dev printed. */
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
