import type { Project } from "../../../src/project/project.ts";

/** A project without kinds. */
export const emptyProject: Project = {
  domain: "example.com",
  projectName: "shop",
  multigroup: false,
  namespaced: false,
  namespaces: [],
  license: "none",
  owner: "",
  features: [],
  resources: [],
  plugins: [],
  cliVersion: "0.0.0",
};
