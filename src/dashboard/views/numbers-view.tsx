import { useMemo, useState } from "preact/hooks";
import { restartsOf, sampleAt } from "../history/samples.ts";
import { Empty } from "./empty.tsx";
import { NumbersTable } from "./numbers-table.tsx";
import { PlotFigure, scaleWidth } from "./plot-figure.tsx";
import { peaks } from "./plot-line.ts";
import { filteredPlots, type Plot, plotsOf, wordsOf } from "./plots.ts";
import { usePage } from "./shown.ts";
import { StretchButtons } from "./stretch-buttons.tsx";
import { ticksOf } from "./timeline-scale.ts";
import { timeOfDay } from "./times.ts";
import { useStretch } from "./use-stretch.ts";
import { useWidth } from "./use-width.ts";

/** Queue, workers, cache, event loop and memory of the operator in time. */
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
