import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package with a plugin. */
export interface PluginPackage {
  readonly name: string;
  readonly version?: string;
  /** The module that exports it. */
  readonly code: string;
  /** Its other files. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Writes a package into a folder, as npm would. */
export function writePlugin(
  folder: string,
  { name, version = "1.0.0", code, files = {} }: PluginPackage,
): void {
  const all = {
    ...files,
    "index.js": code,
    "package.json": JSON.stringify({ name, version, type: "module", exports: "./index.js" }),
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A plugin with all that one can have: a page for the project, one for each kind, and lines in the entry point. */
export const teamPlugin = {
  name: "tsbuilder-plugin-team",
  code: `
export default {
  key: "team.example.com/v1",
  summary: "pages that say which team owns a kind",
  templates: new URL("templates", import.meta.url),
  flags: {
    team: { type: "string", summary: "the team that owns the project", commands: ["init", "edit"], required: true, pattern: /^[a-z]+$/ },
    tier: { type: "string", summary: "how important the kind is", commands: ["create api"], choices: ["gold", "silver"], default: "silver" },
  },
  init: ({ project, options }) => ({
    parts: [{ templates: "project", context: { projectName: project.projectName, team: options.team } }],
    inserts: [{ file: "src/main.ts", marker: "imports", text: 'import { team } from "./team.ts";' }],
  }),
  createApi: ({ resource, kindOptions, options }) => ({
    files: [{ path: \`docs/kinds/\${resource.kind.toLowerCase()}.md\`, content: \`# \${resource.kind}\\n\\nOf \${options.team}: \${kindOptions.tier}.\\n\` }],
  }),
  createWebhook: ({ resource }) => ({
    files: [{ path: \`docs/webhooks/\${resource.kind.toLowerCase()}.md\`, content: "# Webhooks\\n", ownership: "generated" }],
  }),
  edit: ({ flags, options }) => ({ ...options, ...flags, edited: true }),
};
`,
  files: {
    "templates/project/docs/{{projectName}}.md.hbs": "# {{projectName}}\n\nOwned by {{team}}.\n",
    "templates/project/src/team.ts.hbs": 'export const team = "{{team}}";\n',
  },
} satisfies PluginPackage;
