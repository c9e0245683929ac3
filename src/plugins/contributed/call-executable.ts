import { isObject } from "@tsbuilder/apimachinery/json";
import { spawnSync } from "node:child_process";
import { shorten } from "../../shared/text.ts";
import { toolPath } from "../../shared/tool-path.ts";
import { pluginError } from "./plugin-error.ts";

/** A request of kubebuilder's protocol to an executable. */
export interface ExecutableRequest {
  readonly command: "init" | "create api" | "create webhook" | "edit" | "flags" | "metadata";
  readonly args: readonly string[];
  /** The texts of the project's files, by path. */
  readonly universe: Readonly<Record<string, string>>;
  /** The keys of the project's plugins, in their order. */
  readonly pluginChain?: readonly string[];
  /** `PROJECT`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface ExecutableResponse {
  readonly universe: Readonly<Record<string, string>>;
  readonly flags: readonly ExecutableFlag[];
  readonly description: string;
  /** The lines that it wrote to standard error. */
  readonly notes: string;
}

export interface ExecutableFlag {
  readonly name: string;
  readonly type: string;
  readonly default: string;
  readonly usage: string;
}

export interface ExecutableLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

const apiVersion = "v1alpha1";
const defaultLimits: ExecutableLimits = { milliseconds: 60_000, bytes: 64 * 1024 * 1024 };

/** Runs an executable in a folder, with a request on its standard input, and reads its response. */
export function callExecutable(
  key: string,
  file: string,
  request: ExecutableRequest,
  folder: string,
  limits = defaultLimits,
): ExecutableResponse {
  const { status, signal, error, stdout, stderr } = spawnSync(file, [], {
    cwd: folder,
    env: { ...process.env, PATH: toolPath() },
    input: JSON.stringify({ apiVersion, ...request }),
    encoding: "utf8",
    timeout: limits.milliseconds,
    killSignal: "SIGKILL",
    maxBuffer: limits.bytes,
  });
  const failed = (what: string): Error =>
    pluginError(key, `"${file}" ${what} at ${request.command}`, {
      code: "TOOL_FAILED",
      hint: lastLines(stderr) || "run it by hand with a request on its standard input",
    });
  const code = (error as { readonly code?: string } | undefined)?.code;
  if (code === "ETIMEDOUT") throw failed(`took longer than ${limits.milliseconds / 1000} s`);
  if (code === "ENOBUFS") throw failed(`wrote more than ${limits.bytes} bytes`);
  // An executable may be right although it does not read its input to the end.
  if (error && code !== "EPIPE") throw failed(`could not be run (${code ?? error.message})`);
  if (status !== 0) throw failed(signal ? `was ended by ${signal}` : `exited with ${status}`);
  return readResponse(key, file, request.command, stdout, stderr);
}

function readResponse(
  key: string,
  file: string,
  command: string,
  stdout: string,
  stderr: string,
): ExecutableResponse {
  const wrong = (what: string): Error =>
    pluginError(key, `"${file}" responded to ${command} with ${what}`, {
      hint: "its standard output must be one PluginResponse in JSON; logs go to standard error",
    });
  const value = parse(stdout);
  if (!isObject(value))
    throw wrong(stdout.trim() === "" ? "nothing" : `no JSON object: ${shorten(stdout.trim())}`);
  const { error, errorMsgs, universe, flags, metadata } = value;
  if (value["apiVersion"] !== undefined && value["apiVersion"] !== apiVersion)
    throw wrong(`the apiVersion ${JSON.stringify(value["apiVersion"])} instead of ${apiVersion}`);
  if (error === true) {
    const messages = Array.isArray(errorMsgs) ? errorMsgs.map(String).join("; ") : "";
    throw pluginError(key, `${command} failed: ${messages || "without a message"}`, {
      code: "TOOL_FAILED",
      hint: lastLines(stderr) || "nothing was written",
    });
  }
  const files = universe ?? {};
  if (!isObject(files) || !Object.values(files).every((text) => typeof text === "string"))
    throw wrong("a universe that is not texts by path");
  return {
    universe: files as Record<string, string>,
    flags: Array.isArray(flags) ? flags.flatMap(readFlag) : [],
    description: isObject(metadata) ? textOf(metadata, "description") : "",
    notes: lastLines(stderr),
  };
}

function readFlag(value: unknown): ExecutableFlag[] {
  if (!isObject(value)) return [];
  const name = textOf(value, "name");
  const [type, given, usage] = ["type", "default", "usage"].map((field) => textOf(value, field));
  return /^[a-z][\w-]*$/u.test(name) ? [{ name, type: type!, default: given!, usage: usage! }] : [];
}

/** Reads a string. Go ignores the case of keys, so plugins write them in any. */
function textOf(value: Readonly<Record<string, unknown>>, name: string): string {
  const [, found] = Object.entries(value).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof found === "string" ? found : "";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const lastLines = (text: string | null): string => (text ?? "").trim().split("\n").slice(-5).join("\n");
