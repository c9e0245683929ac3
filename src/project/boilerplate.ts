import { blockCommentText } from "../shared/source-text.ts";
import type { Project } from "./project.ts";

/** The license header of source files. It contains no year, so that the output does not depend on the date. */
export function formatBoilerplate({ license, owner }: Pick<Project, "license" | "owner">): string {
  if (license === "none" || license === "file") return "";
  const lines = [
    ...(owner === "" ? [] : [`Copyright ${blockCommentText(owner)}.`]),
    ...(license === "apache2" ? ["SPDX-License-Identifier: Apache-2.0"] : ["All rights reserved."]),
  ];
  return ["/*", ...lines.map((line) => ` * ${line}`), " */"].join("\n");
}
