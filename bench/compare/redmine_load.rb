# frozen_string_literal: true

# Fills an empty Redmine with what bench/compare/beside_data.py told; its own "rails runner" runs it:
#
#     bundle exec rails runner bench/compare/redmine_load.rb FILE
#
# What is there once is made by Redmine's own models. Tickets, their texts, tags and watchers go straight into the
# tables, as the models would write them: the models take several minutes for some thousands. The last line of the
# standard output is what those who ask must know, in JSON.

require 'json'

BATCH = 500
PRIORITIES = %w[Normal High Urgent Immediate].freeze
OPEN = %w[new open].freeze
STATES = %w[new open resolved hold invalid].freeze
PERMISSIONS = %i[view_issues add_issues edit_issues add_issue_notes].freeze
SETTINGS = {
  rest_api_enabled: 1,
  cache_formatted_text: 1,
  text_formatting: 'common_mark',
  notified_events: [],
  per_page_options: '30,50,100',
  search_results_per_page: 30
}.freeze

# Makes what tickets refer to, and gives the number of each by its name.
class Surroundings
  attr_reader :project, :tracker, :tags, :states, :priorities, :people, :milestones

  def initialize(told)
    SETTINGS.each { |name, value| Setting[name] = value }
    @states = numbers(STATES) { |name| IssueStatus.create!(name: name, is_closed: OPEN.exclude?(name)) }
    @priorities = PRIORITIES.map { |name| IssuePriority.create!(name: name, is_default: name == 'Normal').id }
    @tracker = Tracker.create!(name: 'Ticket', default_status_id: @states['new'])
    @tags = tag_field(told['tags'])
    @project = Project.create!(
      name: 'Sample', identifier: 'sample', is_public: false,
      trackers: [@tracker], enabled_module_names: %w[issue_tracking]
    )
    @milestones = numbers(told['milestones']) { |name| Version.create!(project: @project, name: name) }
    @people = joined(told['people'])
  end

  # Gives what those who ask must know: the second person's API key, some numbers, and what this is.
  def told
    puma = Gem.loaded_specs['puma'].version
    {
      key: User.find(@people.values[1]).api_key, people: @people, states: @states, tags: @tags.id,
      versions: ["Redmine #{Redmine::VERSION}", "Puma #{puma}", "Ruby #{RUBY_VERSION}"]
    }
  end

  private

  def numbers(names)
    names.to_h { |name| [name, yield(name).id] }
  end

  # Redmine knows no tags; a list of which a ticket may have several values is nearest.
  def tag_field(names)
    IssueCustomField.create!(
      name: 'Tags', field_format: 'list', multiple: true, possible_values: names,
      is_for_all: true, is_filter: true, trackers: [@tracker]
    )
  end

  def joined(people)
    role = member
    people.to_h do |person|
      user = User.new(firstname: person['name'].split.first, lastname: person['name'].split.last)
      user.login = user.mail = person['login']
      user.password = person['password']
      user.save!
      Member.create!(project: @project, principal: user, roles: [role])
      [person['login'], user.id]
    end
  end

  def member
    role = Role.create!(name: 'Member', permissions: PERMISSIONS, issues_visibility: 'all')
    @states.values.permutation(2) do |old, new|
      WorkflowTransition.create!(tracker: @tracker, role: role, old_status_id: old, new_status_id: new)
    end
    role
  end
end

# Gives the rows of a ticket in each table.
class Rows
  def initialize(around)
    @around = around
  end

  def of(ticket)
    {
      Issue => [issue(ticket)],
      Journal => ticket['messages'].drop(1).map { |message| journal(ticket, message) },
      CustomValue => ticket['tags'].map { |tag| custom_value(ticket, tag) },
      Watcher => watching(ticket).map { |login| watcher(ticket, login) }
    }
  end

  private

  def issue(ticket)
    number = ticket['number']
    closed = OPEN.exclude?(ticket['state'])
    {
      id: number, root_id: number, lft: 1, rgt: 2,
      project_id: @around.project.id, tracker_id: @around.tracker.id,
      status_id: @around.states[ticket['state']], priority_id: @around.priorities[ticket['importance']],
      fixed_version_id: @around.milestones[ticket['milestone']],
      author_id: @around.people[ticket['creator']], assigned_to_id: @around.people[ticket['assignee']],
      subject: ticket['title'], description: ticket['messages'][0]['text'],
      start_date: ticket['opened'][0, 10], created_on: ticket['opened'], updated_on: ticket['changed'],
      closed_on: closed ? ticket['changed'] : nil
    }
  end

  def journal(ticket, message)
    {
      journalized_type: 'Issue', journalized_id: ticket['number'],
      user_id: @around.people[message['author']], notes: message['text'], created_on: message['at']
    }
  end

  def custom_value(ticket, tag)
    { customized_type: 'Issue', customized_id: ticket['number'], custom_field_id: @around.tags.id, value: tag }
  end

  def watching(ticket)
    ticket.values_at('creator', 'author', 'assignee').compact.uniq
  end

  def watcher(ticket, login)
    { watchable_type: 'Issue', watchable_id: ticket['number'], user_id: @around.people[login] }
  end
end

lines = File.foreach(ARGV.fetch(0)).lazy.map { |line| JSON.parse(line) }
around = Surroundings.new(lines.first)
rows = Rows.new(around)
lines.drop(1).each_slice(BATCH) do |tickets|
  ActiveRecord::Base.transaction do
    together = tickets.map { |ticket| rows.of(ticket) }
    together.first.each_key do |model|
      made = together.flat_map { |each| each[model] }
      model.insert_all!(made) if made.any?
    end
  end
end
# PostgreSQL has not counted the numbers that it was given.
ActiveRecord::Base.connection.try(:reset_pk_sequence!, Issue.table_name)
puts around.told.to_json
