import { isObject } from "@tsbuilder/apimachinery/json";
import { explainYAML } from "../codec/explain-yaml.ts";
import { parseGoYAML } from "../codec/go-yaml.ts";
import { explainJSON } from "../codec/json-error.ts";

/** The answer of a webhook's server. */
export interface WebhookReply {
  readonly code: number;
  readonly text: string;
  /** Its content type. Only plain text is quoted in errors, as what has no type is. */
  readonly type?: string;
}

/** The review in a reply, which may be YAML. Errors are those of Go's client. */
export function readReply({ code, text, type = "" }: WebhookReply): unknown {
  if (code < 200 || code > 206) throw new Error(statusMessage(text) ?? refusal(code, quotable(type, text)));
  if (text === "") throw new Error(`0-length response with status code: ${code} and content type: ${type}`);
  try {
    return JSON.parse(text);
  } catch {
    if (!/^[ \t\r\n]*\{/u.test(text)) return parseYAML(text);
    throw new Error(`couldn't get version/kind; json parse error: ${explainJSON(text)}`);
  }
}

function parseYAML(text: string): unknown {
  try {
    return parseGoYAML(text);
  } catch (error) {
    throw new Error(explainYAML(error, text), { cause: error });
  }
}

/** A server that answers with a Status says itself what is wrong. */
function statusMessage(text: string): string | undefined {
  try {
    const status: unknown = JSON.parse(text);
    if (!isObject(status) || status["kind"] !== "Status" || status["status"] === "Success") return undefined;
    const { message } = status;
    return typeof message === "string" ? message : "";
  } catch {
    return undefined;
  }
}

function quotable(type: string, text: string): string {
  return type === "" || type.startsWith("text/") ? text.slice(0, 2048).trim() : "unknown";
}

const refusals: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

function refusal(code: number, text: string): string {
  if ([403, 406, 415].includes(code)) return text;
  const known = refusals[code];
  if (known !== undefined) return known;
  return code < 500
    ? `the server responded with the status code ${code} but did not return more information`
    : `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
}
