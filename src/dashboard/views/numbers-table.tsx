import { type Sample, sampleAt } from "../history/samples.ts";
import type { Plot } from "./plots.ts";
import { timeOfDay } from "./times.ts";

interface NumbersTableProps {
  readonly samples: readonly Sample[];
  readonly plots: readonly Plot[];
  /** The highest values of each plot's series in what is drawn. */
  readonly peaks: readonly (readonly number[])[];
  readonly at: number;
  /** When the operator started again, in what is drawn. */
  readonly restarts: readonly number[];
}

const mostRestarts = 5;

/** The numbers at a moment, and the highest ones that are drawn. */
export function NumbersTable({ samples, plots, peaks, at, restarts }: NumbersTableProps) {
  const sample = sampleAt(samples, at);
  const workers = sample?.controllers.map(({ controller, workers: all }) => `${controller} ${all}`) ?? [];
  return (
    <div class="numbers-table">
      <table>
        <caption>At {timeOfDay(at)}</caption>
        <thead>
          <tr>
            <th scope="col">Number</th>
            <th scope="col">Then</th>
            <th scope="col">Highest</th>
          </tr>
        </thead>
        {plots.map(({ title, series, text }, index) => (
          <tbody key={title}>
            <tr>
              <th scope="rowgroup" colSpan={3}>
                {title}
              </th>
            </tr>
            {series.map(({ name, value }, line) => (
              <tr key={name}>
                <td>{name}</td>
                <td>{sample ? text(value(sample)) : "unknown"}</td>
                <td>{text(peaks[index]?.[line] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      {sample && sample.resident === 0 && <p>The operator was not running.</p>}
      {workers.length > 0 && <p class="dim">Reconciles that may run at once: {workers.join(", ")}</p>}
      {restarts.length > 0 && (
        <p class="dim">
          The operator started again at {restarts.slice(-mostRestarts).map(timeOfDay).join(", ")}
          {restarts.length > mostRestarts && `, and ${restarts.length - mostRestarts} times before`}
        </p>
      )}
      {sample && <Cached cached={sample.cached} />}
    </div>
  );
}

function Cached({ cached }: Pick<Sample, "cached">) {
  const kinds = Object.entries(cached).toSorted(([, a], [, b]) => b - a);
  if (kinds.length === 0) return null;
  return (
    <table>
      <caption>Cached objects by kind</caption>
      <tbody>
        {kinds.map(([kind, count]) => (
          <tr key={kind}>
            <th scope="row">{kind}</th>
            <td>{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
