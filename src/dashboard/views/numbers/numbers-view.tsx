import { useMemo, useState } from "preact/hooks";
import { type Sample, restartsOf, sampleAt } from "../../history/history.ts";
import { Empty } from "../messages.tsx";
import { usePage } from "../shown.ts";
import { StretchButtons, useStretch, useWidth } from "../stretch.tsx";
import { timeOfDay } from "../texts.ts";
import { ticksOf } from "../timeline/timeline-scale.ts";
import { type Plot, filteredPlots, mostOf, pathOf, peaks, plotsOf, wordsOf } from "./plots.ts";

/** The queue, workers, cache, event loop and memory of the operator over time. */
export function NumbersView() {
  const { feed, shown } = usePage();
  const { samples } = feed.history;
  const all = useMemo(() => plotsOf(samples), [samples, samples.length]);
  const plots = useMemo(() => filteredPlots(all, shown.filter), [all, shown.filter]);
  if (samples.length === 0) return <Empty isFiltered={false}>Nothing was measured.</Empty>;
  if (plots.length === 0) return <Empty isFiltered>Nothing was measured.</Empty>;
  return <Numbers plots={plots} />;
}

function Numbers({ plots }: { readonly plots: readonly Plot[] }) {
  const { feed, shown, show, moment } = usePage();
  const { samples, from: first, to: last } = feed.history;
  const stretch = useStretch(shown.moment);
  const [box, boxWidth] = useWidth<HTMLDivElement>();
  const [pointed, setPointed] = useState<number>();
  const { left, right } = stretch;
  const width = Math.max(1, boxWidth - scaleWidth - 20);
  const lines = useMemo(
    () =>
      plots.map(({ series }) =>
        series.map(({ value }) => peaks(samples, value, { from: left, to: right, width, until: last })),
      ),
    [plots, samples, samples.length, left, right, width, last],
  );
  const scale = width / (right - left);
  const inPixels = (at: number): number => (at - left) * scale;
  const cursor = pointed ?? moment;
  const isSeen = (at: number): boolean => at >= left && at <= right;
  const restarts = restartsOf(samples).filter(isSeen);

  const choose = (at: number): void =>
    show({ moment: at >= last ? undefined : Math.round(Math.max(at, first)) });
  const timeAt = (event: MouseEvent): number => {
    const { left: start } = box.current!.getBoundingClientRect();
    return Math.min(right, Math.max(left, left + (event.clientX - start - scaleWidth) / scale));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = (right - left) / 100;
    const actions: Readonly<Record<string, () => void>> = {
      "+": () => stretch.zoom(0.5),
      "-": () => stretch.zoom(2),
      ArrowLeft: () => choose(cursor - step),
      ArrowRight: () => choose(cursor + step),
      Home: () => choose(left),
      End: () => choose(right),
    };
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    setPointed(undefined);
    action();
  };

  return (
    <section class="numbers" aria-label="Numbers of the operator">
      <div class="toolbar">
        <StretchButtons stretch={stretch} />
      </div>
      <div class="numbers-parts">
        <div
          class="plots"
          ref={box}
          role="slider"
          tabIndex={0}
          aria-label="Moment of the numbers"
          aria-valuemin={left}
          aria-valuemax={right}
          aria-valuenow={cursor}
          aria-valuetext={`${timeOfDay(cursor)}: ${wordsOf(plots, sampleAt(samples, cursor))}`}
          onKeyDown={onKeyDown}
          onMouseMove={(event) => setPointed(timeAt(event))}
          onMouseLeave={() => setPointed(undefined)}
          onClick={(event) => choose(timeAt(event))}
        >
          <div class="axis">
            {ticksOf(left, right, scale).map((at) => (
              <span key={at} style={{ left: `${scaleWidth + inPixels(at)}px` }}>
                {timeOfDay(at)}
              </span>
            ))}
          </div>
          {plots.map((plot, index) => (
            <PlotFigure
              key={plot.title}
              plot={plot}
              lines={lines[index]!}
              width={width}
              restarts={restarts.map(inPixels)}
            />
          ))}
          {isSeen(cursor) && (pointed !== undefined || shown.moment !== undefined) && (
            <div class="moment" style={{ left: `${scaleWidth + inPixels(cursor)}px` }} />
          )}
        </div>
        <NumbersTable
          samples={samples}
          plots={plots}
          peaks={lines.map((series) =>
            series.map((line) => line.reduce((most, value) => (value > most ? value : most), 0)),
          )}
          at={cursor}
          restarts={restarts}
        />
      </div>
    </section>
  );
}

interface NumbersTableProps {
  readonly samples: readonly Sample[];
  readonly plots: readonly Plot[];
  /** The highest drawn value of each series, by plot. */
  readonly peaks: readonly (readonly number[])[];
  readonly at: number;
  /** The drawn times at which the operator was started again. */
  readonly restarts: readonly number[];
}

const mostRestarts = 5;

/** The numbers at a moment, and the highest ones in the stretch. */
function NumbersTable({ samples, plots, peaks, at, restarts }: NumbersTableProps) {
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

/** The height of a plot in pixels. */
const plotHeight = 64;

/** The width of the scale left of the lines, in pixels. */
const scaleWidth = 70;

interface PlotFigureProps {
  readonly plot: Plot;
  /** The values of each series, one for each pixel. */
  readonly lines: readonly (readonly number[])[];
  readonly width: number;
  /** The pixels at which the operator was started again. */
  readonly restarts: readonly number[];
}

/** A plot. Screen readers get its values from the table of numbers. */
function PlotFigure({ plot: { title, series, text }, lines, width, restarts }: PlotFigureProps) {
  const most = mostOf(lines);
  return (
    <div class="plot">
      <p class="plot-title">
        <b>{title}</b>
        {series.length > 1 &&
          series.map(({ name }, index) => (
            <span key={name} class="plot-name">
              <svg width="26" height="8" class={`line l${index % 6}`}>
                <path d="M0 4H26" />
              </svg>{" "}
              {name}
            </span>
          ))}
      </p>
      <span class="plot-most">{text(most)}</span>
      <svg class="plot-lines" style={{ left: `${scaleWidth}px` }} width={width} height={plotHeight}>
        {restarts.map((x) => (
          <path key={x} class="restart" d={`M${x} 0V${plotHeight}`} />
        ))}
        {lines.map((line, index) => (
          <g key={series[index]!.name} class={`line l${index % 6}`}>
            <path d={pathOf(line, most, plotHeight - 4)} transform="translate(0 2)" />
          </g>
        ))}
      </svg>
    </div>
  );
}
