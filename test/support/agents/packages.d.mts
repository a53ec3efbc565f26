/** Where agents are installed, each in a folder of its own. */
export declare const agentsFolder: string;
/** The packages of the agents that `npm test` installs, by id. */
export declare const testedAgents: Readonly<Record<string, string>>;
