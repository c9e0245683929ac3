import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { TerminalError } from "../errors/api-error.ts";

interface KubeconfigContext {
  readonly cluster: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** A kubeconfig as shown by `kubectl config view`; unknown fields are ignored. */
export interface KubeconfigFile {
  readonly "current-context"?: string;
  readonly clusters?: readonly { readonly name: string; readonly cluster: KubeconfigCluster }[];
  readonly users?: readonly { readonly name: string; readonly user: KubeconfigUser }[];
  readonly contexts?: readonly { readonly name: string; readonly context: KubeconfigContext }[];
}

export interface KubeconfigCluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[];
}

export interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly exec?: KubeconfigExec;
  readonly "auth-provider"?: { readonly name: string; readonly config?: { readonly [key: string]: string } };
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: { readonly [name: string]: readonly string[] };
}

/** A program that prints credentials. */
export interface KubeconfigExec {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
}

/**
 * Reads kubeconfig files and merges them as kubectl does: of several entries of one name, the first wins. Throws a
 * `TerminalError` for a file that can't be read.
 */
export async function readKubeconfigs(paths: readonly string[]): Promise<KubeconfigFile> {
  const files: KubeconfigFile[] = [];
  for (const path of paths) files.push(withAbsolutePaths(await readKubeconfig(path), dirname(path)));
  return mergeKubeconfigs(files);
}

async function readKubeconfig(path: string): Promise<KubeconfigFile> {
  try {
    return await parseKubeconfig(readFileSync(path, "utf8"));
  } catch (error) {
    throw new TerminalError(`the kubeconfig ${path} can't be read: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Resolves the paths of a kubeconfig, which are relative to its file. */
function withAbsolutePaths(file: KubeconfigFile, folder: string): KubeconfigFile {
  const clusters = file.clusters?.map(({ name, cluster }) => ({
    name,
    cluster: resolvePaths<KubeconfigCluster>(cluster, folder, ["certificate-authority"]),
  }));
  const users = file.users?.map(({ name, user }) => ({
    name,
    user: withAbsoluteExec(
      resolvePaths<KubeconfigUser>(user, folder, ["tokenFile", "client-certificate", "client-key"]),
      folder,
    ),
  }));
  return { ...file, ...(clusters && { clusters }), ...(users && { users }) };
}

/** Resolves the command of `exec` if it is a path; a mere name is looked up in PATH. */
function withAbsoluteExec(user: KubeconfigUser, folder: string): KubeconfigUser {
  const { exec } = user;
  if (!exec || !/[/\\]/.test(exec.command)) return user;
  return { ...user, exec: resolvePaths(exec, folder, ["command"]) };
}

function resolvePaths<T extends object>(entry: T, folder: string, fields: readonly (keyof T)[]): T {
  const result = { ...entry };
  for (const field of fields) {
    const path = result[field];
    if (typeof path === "string" && path !== "" && !isAbsolute(path)) {
      result[field] = join(folder, path) as T[keyof T];
    }
  }
  return result;
}

function mergeKubeconfigs(files: readonly KubeconfigFile[]): KubeconfigFile {
  const current = files.find((file) => file["current-context"])?.["current-context"];
  return {
    ...(current !== undefined && { "current-context": current }),
    clusters: firstByName(files.flatMap(({ clusters }) => clusters ?? [])),
    users: firstByName(files.flatMap(({ users }) => users ?? [])),
    contexts: firstByName(files.flatMap(({ contexts }) => contexts ?? [])),
  };
}

function firstByName<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  return entries.filter((entry, at) => entries.findIndex(({ name }) => name === entry.name) === at);
}

/** Parses a kubeconfig, YAML or JSON. Throws if it has another structure. Messages quote nothing of its content. */
export async function parseKubeconfig(text: string): Promise<KubeconfigFile> {
  const file = await parse(text);
  if (!isObject(file)) throw new Error("it holds no clusters, users and contexts");
  return {
    ...file,
    clusters: entriesOf(file, "cluster"),
    users: entriesOf(file, "user"),
    contexts: entriesOf(file, "context"),
  } as KubeconfigFile;
}

/** The entries of a list, each with its content. As with kubectl, null counts as empty. */
function entriesOf(
  file: { readonly [field: string]: unknown },
  what: "cluster" | "user" | "context",
): object[] {
  const list = file[`${what}s`] ?? [];
  if (!Array.isArray(list)) throw new Error(`its ${what}s must be a list`);
  return list.map((entry: unknown, at) => {
    const content = isObject(entry) ? (entry[what] ?? {}) : undefined;
    if (!isObject(content)) throw new Error(`its ${what}s[${at}] has no ${what}`);
    return { ...(entry as object), [what]: content };
  });
}

/** JSON is tried first: it is a subset of YAML, and its parser is built in. */
async function parse(text: string): Promise<unknown> {
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // A flow mapping of YAML also starts with a brace.
    }
  }
  const yaml = await import("yaml");
  try {
    // Warnings would go to standard error, and quote the file as well.
    return (yaml.parse(text, { logLevel: "error", stringKeys: true }) as unknown) ?? {};
  } catch (error) {
    throw errorWithoutQuotes(error as Error);
  }
}

/** The parser's messages quote lines of the file, in which tokens may be. */
function errorWithoutQuotes({ linePos }: Error & { linePos?: readonly { line: number; col: number }[] }) {
  const [start] = linePos ?? [];
  return new Error(`it isn't valid YAML${start ? ` (line ${start.line}, column ${start.col})` : ""}`);
}
