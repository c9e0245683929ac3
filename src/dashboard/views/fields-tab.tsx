import { linesWithWriters } from "../history/field-writers.ts";
import { revisionAt, type Track } from "../history/history.ts";
import { usePage } from "./shown.ts";
import { timeOfDay } from "./times.ts";

/** The object as YAML, each line with the managers of its field. */
export function FieldsTab({ track }: { readonly track: Track }) {
  const { moment } = usePage();
  const revision = revisionAt(track, moment);
  if (revision === undefined) return <p class="empty">It does not exist at this moment.</p>;
  const lines = linesWithWriters(revision.object);
  const managers = [...new Set(lines.flatMap((line) => line.managers.map(({ manager }) => manager)))];
  return (
    <table class="fields" tabIndex={0}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Written by</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, at) => (
          <tr key={at}>
            <td>
              <code title={line.path}>{line.text}</code>
            </td>
            <td>
              {line.managers.map(({ manager, operation, subresource, at: time }) => (
                <span
                  title={operation}
                  key={`${manager} ${subresource}`}
                  class={`manager m${managers.indexOf(manager) % 6}`}
                >
                  {manager}
                  {subresource === undefined ? "" : ` (${subresource})`}{" "}
                  {time !== undefined && <time class="dim">{timeOfDay(Date.parse(time)).slice(0, 8)}</time>}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
