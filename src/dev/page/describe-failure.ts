import type { ApiError } from "@tsbuilder/runtime";
import { TsbuilderError } from "../../shared/errors.ts";
import { RequestError } from "./request-error.ts";

/** Why an action failed, for the page. */
export interface Failure {
  readonly message: string;
  readonly hint?: string | undefined;
  /** The fields of an object that the cluster rejected. */
  readonly causes?: readonly { readonly field: string; readonly message: string }[] | undefined;
}

/** The code of the answer and what it says. */
export function describeFailure(error: unknown): { readonly code: number; readonly failure: Failure } {
  const { message } = error as Error;
  if (error instanceof RequestError) return { code: error.code, failure: { message } };
  if (error instanceof TsbuilderError) return { code: 400, failure: { message, hint: error.hint } };
  if (!isApiError(error)) return { code: 500, failure: { message } };
  const causes = error.body.details?.causes?.map((cause) => ({
    field: cause.field ?? "",
    message: cause.message ?? "",
  }));
  const isTheirs = error.status >= 400 && error.status < 500;
  return {
    code: isTheirs ? error.status : 502,
    failure: { message: error.body.message ?? message, ...(causes && { causes }) },
  };
}

/** Checks the name, since importing the class would load the whole client. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === "ApiError";
}
