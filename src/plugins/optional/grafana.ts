import type { PluginDefinition, ProjectInput } from "../contributed/define-plugin.ts";
import { dashboard } from "./grafana-dashboard.ts";
import { ownPanel, runtimePanels } from "./grafana-panels.ts";

/** Dashboards for Grafana: one of the runtime's metrics, and one of the user's own. */
export const grafana: PluginDefinition = {
  key: "grafana.tsbuilder.dev/v1",
  summary: "dashboards for Grafana: of the runtime's metrics, and of your own with --metric",
  flags: {
    metric: {
      type: "list",
      summary:
        "a metric of your own and its type, counter, gauge or histogram: orders_total:counter; may be repeated",
      placeholder: "NAME:TYPE",
      commands: ["init", "edit"],
      pattern: /^[a-zA-Z_:][\w:]*:(?:counter|gauge|histogram)$/,
    },
  },
  init: ({ project, options }: ProjectInput) => ({
    files: [
      dashboard(project.projectName, "runtime", runtimePanels(project.features)),
      ...(isTexts(options["metric"])
        ? [dashboard(project.projectName, "custom-metrics", options["metric"].map(ownPanel))]
        : []),
    ],
  }),
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
