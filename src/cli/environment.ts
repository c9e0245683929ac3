import type { FlagDefinitions } from "./command.ts";

/** `TSBUILDER_PROJECT_NAME` for `--project-name`. */
const variableOf = (flag: string): string => `TSBUILDER_${flag.toUpperCase().replaceAll("-", "_")}`;

/** A flag that the environment gives. */
interface EnvironmentFlag {
  readonly variable: string;
  /** `--project-name=shop` */
  readonly word: string;
}

/**
 * The flags of a command that the environment gives and that were not typed. `--output` is not among them: some commands
 * choose a format by it, and others a file.
 */
export function flagsOfEnvironment(
  flags: FlagDefinitions,
  typed: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentFlag[] {
  return Object.entries(flags).flatMap(([flag, { short }]) => {
    const variable = variableOf(flag);
    const value = environment[variable] ?? "";
    const names = [`--${flag}`, `--no-${flag}`, ...(short === undefined ? [] : [`-${short}`])];
    const isTyped = typed.some((word) => names.some((name) => word === name || word.startsWith(`${name}=`)));
    return value === "" || isTyped || flag === "output" ? [] : [{ variable, word: `--${flag}=${value}` }];
  });
}
