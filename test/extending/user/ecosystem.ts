import { type AddedEcosystem, aptInstall, shell, step } from 'pointsman/extend';

export const ruby: AddedEcosystem = {
  name: 'ruby',
  files: {
    sources: /\.rb$/,
    strong: /^(Gemfile|.*\.gemspec)$/,
    script: true,
    manifests: ({ paths }) => ({ testFrameworks: paths.some((path) => /_spec\.rb$/.test(path)) ? ['rspec'] : [] }),
  },
  plan: ({ facts }) => [
    step('toolchain', 'Ruby and its bundler.', aptInstall(['ruby', 'bundler'])),
    step('dependencies', 'What the Gemfile asks for.', 'bundle install'),
    step('tests', 'Its tests.', facts.testFrameworks.includes('rspec') ? 'bundle exec rspec' : 'bundle exec rake test'),
  ],
  readers: [{ cause: 'ruby-headers', pattern: /mkmf\.rb can't find header files/g }],
  remedies: [
    {
      name: 'install the headers of Ruby',
      cause: 'ruby-headers',
      sure: true,
      fix: () => ({ act: shell(aptInstall(['ruby-dev'])) }),
    },
  ],
};
