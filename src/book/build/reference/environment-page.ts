import { environmentVariable, typedOnly } from "../../../cli/environment.ts";
import { managerFlags } from "../../../runtime/manager/manager-args.ts";
import type { FlagDefinition } from "../../../runtime/manager/flags.ts";
import { type EnvironmentVariable, environmentVariables } from "./environment-variables.ts";
import { code, type Page, prose, table } from "./markdown.ts";

/** The variables that the CLI, operators and tests read. */
export const environmentPage: Page = {
  title: "Environment variables",
  order: 8,
  body: [
    `Each flag of a command can also be set in the environment: ${code("--project-name")} by ${code(environmentVariable("project-name"))}. A typed flag wins; the command says which flags come from the environment. These only count when they are typed: ${typedOnly.map((flag) => code(`--${flag}`)).join(", ")}.`,
    ...(["the CLI", "the operator", "tests"] as const).flatMap((reader) => [
      `## Read by ${reader}`,
      table(
        ["variable", "what it does"],
        Object.entries<EnvironmentVariable>(environmentVariables)
          .filter(([, { readBy }]) => readBy === reader)
          .map(([name, { summary }]) => [code(name), prose(summary)]),
      ),
    ]),
  ],
};

/** The command line of an operator whose manager is made by `Manager.fromArgs`. */
export const operatorFlagsPage: Page = {
  title: "Flags of an operator",
  order: 5,
  body: [
    `A scaffolded operator takes these flags, and those that its ${code("main.ts")} defines; ${code("--help")} prints them. Those that a kubebuilder project has, too, have the same names; the log is JSON at ${code("info")} here. Set them in ${code("config/manager/manager.yaml")}.`,
    table(
      ["flag", "default", "environment", "what it does"],
      Object.entries<FlagDefinition>(managerFlags).map(([name, definition]) => {
        const { type, default: value, env, aliases = [], description } = definition;
        const placeholder = { boolean: "", string: " VALUE", number: " NUMBER", duration: " DURATION" }[type];
        return [
          [name, ...aliases].map((one) => code(`--${one}${placeholder}`)).join(", "),
          value === undefined || value === false ? "" : code(String(value)),
          env === undefined ? "" : code(env),
          prose(description),
        ];
      }),
    ),
  ],
};
