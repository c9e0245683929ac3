import type { FlagDefinitions } from "./command.ts";
import { isTyped } from "./global-flags.ts";

/** `TSBUILDER_PROJECT_NAME` for `--project-name`. */
export const environmentVariable = (flag: string): string =>
  `TSBUILDER_${flag.toUpperCase().replaceAll("-", "_")}`;

/** A flag that the environment gives. */
interface EnvironmentFlag {
  readonly variable: string;
  /** `--project-name=shop` */
  readonly word: string;
}

/**
 * Flags that the environment can't set: `--force` and `--yes` because they overwrite or confirm, `--version` because it
 * names what the command is about, the flags of plugins because they load code, and `--output` because it means a
 * format to some commands and a file to others.
 */
export const typedOnly: readonly string[] = [
  "force",
  "yes",
  "version",
  "output",
  "plugins",
  "remove-plugins",
];

/** The flags of a command that the environment gives and that were not typed. */
export function flagsOfEnvironment(
  flags: FlagDefinitions,
  typed: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentFlag[] {
  return Object.entries(flags).flatMap(([flag, { short }]) => {
    const variable = environmentVariable(flag);
    const value = environment[variable] ?? "";
    const names = [`--${flag}`, `--no-${flag}`, ...(short === undefined ? [] : [`-${short}`])];
    if (value === "" || typedOnly.includes(flag) || isTyped(typed, ...names)) return [];
    return [{ variable, word: `--${flag}=${value}` }];
  });
}
