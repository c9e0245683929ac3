import { labelWidth } from "./lane-bar.tsx";
import { usePage } from "./shown.ts";
import { timeOfDay } from "./times.ts";
import type { Mark } from "./timeline-scale.ts";

/** What was done on the page, each where it was in time; a mark leads to its moment. */
export function ActMarks({ marks }: { readonly marks: readonly Mark[] }) {
  const { show } = usePage();
  if (marks.length === 0) return null;
  return (
    <ul class="acts" aria-label="What was done on the page">
      {marks.map(({ left, width, acts }) => {
        const [first, ...more] = acts;
        const { at, text } = first!;
        return (
          <li key={`${at} ${text}`} style={{ left: `${labelWidth + left}px`, width: `${width}px` }}>
            <button
              type="button"
              class="link"
              title={acts.map((act) => `${timeOfDay(act.at)} the page ${act.text}`).join("\n")}
              onClick={() => show({ moment: at })}
            >
              ▼ {text}
              {more.length > 0 && `, and ${more.length} more`}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
