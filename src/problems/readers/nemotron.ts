import { invalidRow, type RowReader, unwrapJson } from './row';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Rows as NeMo Gym gives them to its agents: what is said to the agent, and in `instance_dict` the row of the data set that
 * it comes from, which is read as that data set's. `readers` are those of the table. Rows of its own data sets name scripts
 * that only its harness has.
 */
export function nemotronOf(readers: readonly RowReader[]): RowReader {
  return {
    is: (fields) => innerOf(fields) !== undefined,
    read(value, line, options) {
      const fields = value as Fields;
      const inner = innerOf(fields) ?? fields;
      const statement = inner.problem_statement ?? aboutOf(fields).problem_statement;
      const row = { ...inner, ...(statement === undefined ? {} : { problem_statement: statement }) };
      const reader = readers.find((each) => each.is(row));
      if (reader) return reader.read(row, line, options);
      throw invalidRow(
        line,
        `instance_dict: a row of ${String(aboutOf(fields).dataset_name ?? 'an unknown data set').slice(0, 80)}, whose runner and parser (run_script.sh, parsing_script.py) are no part of the row`,
      );
    },
  };
}

/** What is known of the instance: at the top, or with the request that an agent begins with. */
function aboutOf(fields: Fields): Fields {
  const request = unwrapJson(fields.responses_create_params);
  const within = isFields(request) ? unwrapJson(request.metadata) : unwrapJson(fields.metadata);
  return { ...(isFields(within) ? within : {}), ...fields };
}

function innerOf(fields: Fields): Fields | undefined {
  const inner = unwrapJson(aboutOf(fields).instance_dict);
  return isFields(inner) ? inner : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
