# The event stream. It depends on neither HTTP nor the store.
add_library(lab_events STATIC ${CMAKE_CURRENT_LIST_DIR}/events.c)
target_include_directories(lab_events PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(lab_events PUBLIC lab_options PkgConfig::jansson Threads::Threads)
