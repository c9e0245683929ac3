import { mostOf, pathOf } from "./plot-line.ts";
import type { Plot } from "./plots.ts";

/** The height of a plot in pixels. */
export const plotHeight = 64;
/** Left of the lines, for what their height means. */
export const scaleWidth = 70;

interface PlotFigureProps {
  readonly plot: Plot;
  /** The values of each series, by pixels. */
  readonly lines: readonly (readonly number[])[];
  readonly width: number;
  /** Where the operator started again, in pixels. */
  readonly restarts: readonly number[];
}

/** A plot; what it tells is in the table of numbers, too. */
export function PlotFigure({ plot: { title, series, text }, lines, width, restarts }: PlotFigureProps) {
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
