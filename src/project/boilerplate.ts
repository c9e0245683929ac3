import { blockCommentText } from "../shared/source-text.ts";
import type { Project } from "./project.ts";

/** The licence header of source files. It carries no year, so that the same project has the same bytes next year. */
export function formatBoilerplate({ license, owner }: Pick<Project, "license" | "owner">): string {
  if (license === "none" || license === "file") return "";
  const lines = [
    ...(owner === "" ? [] : [`Copyright ${blockCommentText(owner)}.`]),
    ...(license === "apache2" ? ["SPDX-License-Identifier: Apache-2.0"] : ["All rights reserved."]),
  ];
  return ["/*", ...lines.map((line) => ` * ${line}`), " */"].join("\n");
}
