/** A graph of one query. */
export interface Panel {
  readonly title: string;
  /** PromQL; `$job` is the operator's. */
  readonly query: string;
  /** One of Grafana's units: `s`, `bytes`, `ops`, `none`. */
  readonly unit: string;
}

/** The file of a dashboard, which users may edit, or overwrite with what they export from Grafana. */
export function dashboard(projectName: string, name: string, panels: readonly Panel[]) {
  const content = {
    title: `${projectName}: ${name}`,
    uid: `${projectName}-${name}`.slice(0, 40),
    tags: ["tsbuilder"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: {
      list: [
        { name: "datasource", type: "datasource", query: "prometheus" },
        {
          name: "job",
          type: "query",
          datasource: { type: "prometheus", uid: "$datasource" },
          query: "label_values(tsbuilder_heap_limit_bytes, job)",
          refresh: 2,
        },
      ],
    },
    panels: panels.map(({ title, query, unit }, i) => ({
      id: i + 1,
      type: "timeseries",
      title,
      gridPos: { x: (i % 2) * 12, y: Math.floor(i / 2) * 8, w: 12, h: 8 },
      datasource: { type: "prometheus", uid: "$datasource" },
      fieldConfig: { defaults: { unit }, overrides: [] },
      targets: [{ refId: "A", expr: query }],
    })),
  };
  return { path: `config/grafana/${name}.json`, content: `${JSON.stringify(content, undefined, 2)}\n` };
}
