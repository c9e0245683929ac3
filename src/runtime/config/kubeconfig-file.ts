import { isObject } from "@tsbuilder/apimachinery/json";

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

/** Parses a kubeconfig. Throws if it has another structure. */
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

/** The entries of one of the lists; null counts as empty, as with kubectl. */
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
    return (yaml.parse(text) as unknown) ?? {};
  } catch (error) {
    throw withoutQuotes(error as Error);
  }
}

/** The parser's messages quote lines of the file, in which tokens may be. */
function withoutQuotes({ linePos }: Error & { linePos?: readonly { line: number; col: number }[] }): Error {
  const [at] = linePos ?? [];
  return new Error(`it isn't valid YAML${at ? ` (line ${at.line}, column ${at.col})` : ""}`);
}
