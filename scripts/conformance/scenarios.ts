/** Scenarios of the suite that ask what this server does; all must pass. */
export const APPLICABLE: readonly string[] = [
  ...['server-initialize', 'server-session-lifecycle', 'server-stateless', 'ping'],
  ...['tools-list', 'resources-list', 'sep-2164-resource-not-found', 'prompts-list', 'caching'],
  ...['dns-rebinding-protection', 'http-header-validation', 'server-sse-multiple-streams'],
  'input-required-result-unsupported-methods',
];

/** Why the others do not apply, by the beginning of their names. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'tools-call-': 'calls demonstration tools, such as test_simple_text',
  'json-schema-2020-12': 'wants the demonstration tool json_schema_2020_12_tool',
  'http-custom-header-server-validation': 'wants a tool whose arguments are sent as headers',
  'resources-read-': 'reads demonstration resources, such as test://static-text',
  'resources-templates-read': 'reads a demonstration resource',
  'resources-subscribe': 'no resource changes in a way that is announced, so none is subscribed to',
  'resources-unsubscribe': 'no resource is subscribed to',
  'prompts-get-': 'gets demonstration prompts, such as test_simple_prompt',
  'completion-complete':
    'completes an argument of the demonstration prompt test_prompt_with_arguments; test/e2e/resources.test.ts completes ours',
  'logging-set-level': 'no log is sent to the client',
  'elicitation-': 'asks nothing of the user',
  'input-required-result-': 'asks nothing of the user',
  'server-sse-polling': 'no stream outlives its request',
  'sep-2640-skills-': 'an extension that is not announced',
  'tasks-': 'an extension that is not announced',
};

/** Why a scenario does not apply; undefined for one that does, and for one that nobody has looked at. */
export function whyNotApplicable(scenario: string): string | undefined {
  if (APPLICABLE.includes(scenario)) return undefined;
  return Object.entries(NOT_APPLICABLE).find(([name]) => scenario.startsWith(name))?.[1];
}
